import { hasTool, type MemoryCitations, type StableInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

/** How to choose a skill from the list, and the list. Needs the read tool. */
export const skills: Section<StableInput> = {
  name: "skills",
  modes: ["full", "minimal"],
  render(input) {
    if (input.skillsPrompt === undefined || input.skillsPrompt.trim() === "" || !hasTool(input, "read"))
      return undefined;
    return `${INSTRUCTIONS}\n\n${input.skillsPrompt}`;
  },
};

const INSTRUCTIONS = `## Skills (mandatory)
Before replying: scan <available_skills> <description> entries.
- If exactly one skill clearly applies: read its SKILL.md at <location> with \`read\`, then follow it.
- If multiple could apply: choose the most specific one, then read/follow it.
- If none clearly apply: do not read any SKILL.md.
Constraints: never read more than one skill up front; only read after selecting.
If a skill's <version> is not the one that you read in an earlier turn, read it again.`;

/** To search memory before answering from it, and whether to cite. Needs a memory tool. */
export const memoryRecall: Section<StableInput> = {
  name: "memory-recall",
  modes: ["full"],
  render(input) {
    const search = hasTool(input, "memory_search");
    const get = hasTool(input, "memory_get");
    if (!search && !get) return undefined;
    return joinLines(
      "## Memory Recall",
      `Before you answer anything about earlier work, decisions, dates, people, preferences or todos, ${steps(search, get)}.`,
      "If that leaves you unsure, say that you looked.",
      CITATIONS[input.memoryCitations],
    );
  },
};

function steps(search: boolean, get: boolean): string {
  if (!search) return "look in MEMORY.md and memory/*.md with `memory_get`";
  const searching = "run `memory_search` over MEMORY.md, memory/*.md and what else is indexed";
  return get ? `${searching}, then fetch only the lines you need with \`memory_get\`` : searching;
}

const CITATIONS: Record<MemoryCitations, string> = {
  on: "Citations: after every fact from memory give `Source: <path#line>`.",
  off: "Citations: never mention file paths or line numbers unless the user asks for them.",
  auto: "Citations: give `Source: <path#line>` where it helps the user to check, and the passage brings it; leave it out of small talk. Where passages bring none, mention no paths or lines unasked.",
};

/** Where the product is documented, and in which order to look. */
export const documentation: Section<StableInput> = {
  name: "documentation",
  modes: ["full"],
  render(input) {
    if (input.docs === undefined) return undefined;
    const { location, url, sourceUrl, communityUrl, skillsUrl } = input.docs;
    const readable = location !== undefined && hasTool(input, "read") ? `${location} (with \`read\`)` : undefined;
    const web = readable !== undefined && url !== undefined ? `on the web: ${url}` : url;
    const places = [readable, web].filter((place) => place !== undefined);
    if (places.length === 0) return undefined;
    return joinLines(
      "## Documentation",
      `Docs: ${places.join("; ")}. They call the runtime by its own name, Isopod: it implements OpenClaw's agent system.`,
      sourceUrl && `Source: ${sourceUrl}`,
      communityUrl && `Community: ${communityUrl}`,
      skillsUrl && `Find skills: ${skillsUrl}`,
      `- About ${input.productName}'s behaviour, commands, configuration or architecture: docs first${sourceUrl ? ", then the source" : ""}.`,
      hasTool(input, "session_status") &&
        "- To diagnose something, run `session_status` yourself; ask the user only for what you cannot reach.",
      hasTool(input, "gateway") &&
        "- About a configuration field: `gateway` with `config.schema.lookup` first for its exact meaning and limits, the configuration pages of the docs for the wider picture.",
    );
  },
};
