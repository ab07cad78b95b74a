import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { MemoryPassage } from "../memory/agent-memory.ts";
import { mayHoldOutsideText } from "../memory/memory-paths.ts";
import { fencedConversation, type RecallPort, recalled } from "./recall-port.ts";

const MAX_LINES = 2_000;

const parameters = z.strictObject({
  path: z.string().describe("As memory_search gives it, such as memory/2026-01-31.md"),
  from: z.int().min(1).optional().describe("First line, from 1"),
  lines: z.int().min(1).max(MAX_LINES).optional().describe("How many lines"),
});

/** Shows lines of a memory file, or of a transcript. */
export function memoryGetTool(port: RecallPort): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "memory_get",
    summary: "Read lines of a memory file",
    description:
      "Safe snippet read from MEMORY.md, memory/*.md or what else memory_search finds, and from no other file: use it after " +
      "memory_search to pull only the lines that you need. Says how to go on where there is more.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ path: typed, from: asked, lines }) {
      const { path, line } = placeIn(typed);
      const passage = await recalled(port.memory.read({ path, from: asked ?? line, lines }));
      return { text: passageText(passage, port) };
    },
  });
}

/** The path and the line of a place as it is cited, `path#L3-L9`; of a path alone, its beginning. */
function placeIn(typed: string): { path: string; line: number } {
  const [, path = typed, line = "1"] = /^(.+)#L(\d+)(?:-L?\d+)?$/.exec(typed.trim()) ?? [];
  return { path: path.trim().replace(/^(?:\.\/+|\/workspace\/+)+/, ""), line: Math.max(1, Number(line)) };
}

function passageText(passage: MemoryPassage, { cites, newFenceId }: RecallPort): string {
  const { path, text, startLine, endLine, totalLines, isCut, next } = passage;
  if (startLine === 0) return totalLines === 0 ? `${path} is empty.` : `${path} ends with line ${totalLines}.`;
  const place = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return [
    `${path}, lines ${startLine} to ${endLine} of ${totalLines}:`,
    mayHoldOutsideText(passage) ? fencedConversation(text, newFenceId()) : text,
    ...(isCut ? [`[Line ${endLine} is longer than what fits here.]`] : []),
    ...(next === undefined ? [] : [`[Go on with from=${next}.]`]),
    ...(cites ? [`Source: ${path}#${place}`] : []),
  ].join("\n");
}
