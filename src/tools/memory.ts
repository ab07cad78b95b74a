import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { type AgentMemory, MemoryError, type MemoryErrorCode, type MemoryPassage } from "../memory/agent-memory.ts";
import { mayHoldOutsideText } from "../memory/memory-paths.ts";
import { fencedConversation, type HitsFormat, hitsOutput, isOwnTalk, passageLabels } from "./memory-hits.ts";

/** An agent's memory, as the tools use it. */
export type MemoryPort = Pick<AgentMemory, "search" | "read">;

/** What the memory tools of a turn need. */
export interface RecallPort extends HitsFormat {
  memory: MemoryPort;
}

const FIXES: Record<MemoryErrorCode, string> = {
  bad_path:
    "Give a path as memory_search shows it, such as MEMORY.md or memory/2026-01-31.md; other files are for read.",
  not_found: "Use memory_search to find where it stands, or ls to see which files there are.",
  not_text: "Use read where it is an image.",
  unavailable: "Try once more; else use grep and read on MEMORY.md and memory/.",
  disabled: "Use grep and read on MEMORY.md and memory/.",
};

/** The answer of a memory. @throws Error with the reason and what to do instead, if memory refuses */
export async function orFix<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw new Error(`${error.message.replace(/[.!]?$/, ".")} ${FIXES[error.code]}`, { cause: error });
  }
}

const searchParameters = z.strictObject({
  query: z.string().describe("What to look for, in the words of the question"),
  maxResults: z.int().min(1).max(50).optional(),
  minScore: z.number().min(0).max(1).optional().describe("0 to 1; lower finds more"),
});

/** Searches the agent's memory. */
export function memorySearchTool(port: RecallPort): Tool<z.infer<typeof searchParameters>> {
  return defineTool({
    name: "memory_search",
    summary: "Search memory for what was noted or said before",
    description:
      "Mandatory recall step: search MEMORY.md, memory/*.md and what else is indexed before answering questions " +
      "about prior work, decisions, dates, people, preferences or todos. Finds by words and by meaning, in any " +
      "language. Gives the best passages with path and lines; memory_get shows what stands around one.",
    parameters: searchParameters,
    replay: "safe",
    sequential: false,
    effects: () => [{ kind: "read", what: "memory" }],
    async run({ query, maxResults, minScore }) {
      const limits = { ...(maxResults !== undefined && { maxResults }), ...(minScore !== undefined && { minScore }) };
      const answer = await orFix(port.memory.search({ query, ...limits }));
      return hitsOutput(query, answer, port);
    },
  });
}

const MAX_LINES = 2_000;

const getParameters = z.strictObject({
  path: z.string().describe("As memory_search gives it, such as memory/2026-01-31.md"),
  from: z.int().min(1).optional().describe("First line, from 1"),
  lines: z.int().min(1).max(MAX_LINES).optional().describe("How many lines"),
});

/** Shows lines of a memory file, or of a transcript. */
export function memoryGetTool(port: RecallPort): Tool<z.infer<typeof getParameters>> {
  return defineTool({
    name: "memory_get",
    summary: "Read lines of a memory file",
    description:
      "Safe snippet read from what memory_search finds: use it after memory_search to pull only the lines that you " +
      "need.",
    parameters: getParameters,
    replay: "safe",
    sequential: false,
    effects: ({ path }) => [{ kind: "read", what: path }],
    async run({ path: typed, from: asked, lines }) {
      const { path, line } = parseCitation(typed);
      const passage = await orFix(port.memory.read({ path, from: asked ?? line, lines }));
      const labels = passageLabels(passage.path, passage, await port.labelledLines([passage.path]));
      const isOutside = mayHoldOutsideText(passage) || labels.length > 0;
      const shown = isOutside
        ? fencedConversation(passage.text, labels, port.outside, isOwnTalk(passage))
        : { text: passage.text, labels };
      const text = passageText({ ...passage, text: shown.text }, port.cites);
      return { text, ...(shown.labels.length > 0 && { labels: shown.labels }) };
    },
  });
}

/** The path and first line of a citation, `path#L3-L9`; line 1 for a path alone. */
function parseCitation(typed: string): { path: string; line: number } {
  const [, path = typed, line = "1"] = /^(.+)#L(\d+)(?:-L?\d+)?$/.exec(typed.trim()) ?? [];
  return { path: path.trim().replace(/^(?:\.\/+|\/workspace\/+)+/, ""), line: Math.max(1, Number(line)) };
}

function passageText(passage: MemoryPassage, cites: boolean): string {
  const { path, text, startLine, endLine, totalLines, isCut, next } = passage;
  if (startLine === 0) return totalLines === 0 ? `${path} is empty.` : `${path} ends with line ${totalLines}.`;
  const place = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return [
    `${path}, lines ${startLine} to ${endLine} of ${totalLines}:`,
    text,
    ...(isCut ? [`[Line ${endLine} is longer than what fits here.]`] : []),
    ...(next === undefined ? [] : [`[Go on with from=${next}.]`]),
    ...(cites ? [`Source: ${path}#${place}`] : []),
  ].join("\n");
}
