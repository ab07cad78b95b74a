import { hasTool, type StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** How to pick a skill from the list, and the list. It takes the read tool to use one. */
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
