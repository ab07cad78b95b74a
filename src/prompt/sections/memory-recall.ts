import { hasTool, type MemoryCitations, type StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** To search memory before answering from it, and whether to cite. Needs a memory tool. */
export const memoryRecall: Section<StableInput> = {
  name: "memory-recall",
  modes: ["full"],
  render(input) {
    const search = hasTool(input, "memory_search");
    const get = hasTool(input, "memory_get");
    if (!search && !get) return undefined;
    return lines(
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
