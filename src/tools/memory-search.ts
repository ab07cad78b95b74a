import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { hitsText } from "./memory-hits.ts";
import { type RecallPort, recalled } from "./recall-port.ts";

const parameters = z.strictObject({
  query: z.string().describe("What to look for, in the words of the question"),
  maxResults: z.int().min(1).max(50).optional(),
  minScore: z.number().min(0).max(1).optional().describe("0 to 1; lower finds more"),
});

/** Finds passages of the agent's memory. */
export function memorySearchTool(port: RecallPort): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "memory_search",
    summary: "Search memory for what was noted or said before",
    description:
      "Mandatory recall step: search MEMORY.md, memory/*.md and what else is indexed (transcripts too, where that is on) before " +
      "answering questions about prior work, decisions, dates, people, preferences or todos. Finds by words and by meaning, in " +
      "any language. Gives the best passages, each with path, lines, score and why it was found; memory_get shows what stands around one.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ query, maxResults, minScore }) {
      const limits = { ...(maxResults !== undefined && { maxResults }), ...(minScore !== undefined && { minScore }) };
      const answer = await recalled(port.memory.search({ query, ...limits }));
      return { text: hitsText(query, answer, port) };
    },
  });
}
