import { z } from "zod";
import { type AnyTool, defineTool, type Tool, toolSchema } from "../agent/tool.ts";
import { head } from "../lib/text.ts";
import { type Message, toolCalls } from "../models/message.ts";
import { type ToolFinder, toolFinder } from "./tool-finder.ts";

const MAX_COUNT = 10;
/** Most characters of parameters that a result shows: the next request has them anyway. */
const MAX_SHOWN_CHARS = 2_000;
/** Most characters of the names that are told where nothing was found. */
const MAX_NAMES_CHARS = 6_000;
/**
 * Most found tools whose schemas a request carries, and most characters of these: the latest finds first. Others may be
 * called all the same.
 */
const MAX_FOUND = 40;
const MAX_FOUND_CHARS = 60_000;

const parameters = z.strictObject({
  query: z.string().min(1).max(500).describe("What the tool should do, in words that its description may have"),
  count: z.int().min(1).max(MAX_COUNT).default(5).describe("Most tools"),
});

/** Tools whose schemas requests carry only once they are found, and the tool that finds them. */
export interface ToolsOnDemand {
  find: Tool<z.infer<typeof parameters>>;
  /** The tools that the calls of a conversation have found or named, in the order in which they did. */
  foundIn(messages: readonly Message[]): AnyTool[];
}

/** Keeps tools back until they are found. They may be called before: then the next request has the schema. */
export function toolsOnDemand(tools: readonly AnyTool[]): ToolsOnDemand {
  const finder = toolFinder(tools);
  return {
    find: findTool(tools, finder),
    foundIn(messages) {
      const calls = messages.flatMap((message) => (message.role === "assistant" ? toolCalls(message) : []));
      const finds = calls.map(({ tool, args }) => {
        if (tool !== NAME) return tools.filter(({ name }) => name === tool);
        const asked = parameters.safeParse(args);
        return asked.success ? finder(asked.data.query, asked.data.count) : [];
      });
      const carried = withinBounds(new Set(finds.toReversed().flat()));
      return [...new Set(finds.flat())].filter((tool) => carried.has(tool));
    },
  };
}

const NAME = "find_tools";
/** Of several large finds at once, a request may carry only the last. */
const SEE_LIST = "see your list of tools; if it is not there, find it again.";

function findTool(tools: readonly AnyTool[], finder: ToolFinder): ToolsOnDemand["find"] {
  return defineTool({
    name: NAME,
    summary: `Find tools of MCP servers by what they do: their ${tools.length} schemas are not sent before`,
    description:
      "Finds tools of MCP servers by words of their names and descriptions, and gives their parameters. What it finds can " +
      "be called at once, and stays in your list of tools. If nothing fits, try other words or another language.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ query, count }) {
      const found = finder(query, count);
      const carried = withinBounds(found);
      const texts = found.map((tool) => shown(tool, carried.has(tool)));
      return { text: found.length > 0 ? texts.join("\n\n") : nothing(tools) };
    },
  });
}

/** @param isCarried whether the next request has its schema */
function shown(tool: AnyTool, isCarried: boolean): string {
  const { name, description, parameters: schema } = toolSchema(tool);
  const text = JSON.stringify(schema);
  const isWhole = text.length <= MAX_SHOWN_CHARS || !isCarried;
  return `${name}: ${description}\nParameters: ${isWhole ? text : SEE_LIST}`;
}

function nothing(tools: readonly AnyTool[]): string {
  const names = tools.map(({ name }) => name).join(", ");
  const all = names.length <= MAX_NAMES_CHARS ? names : `${head(names, MAX_NAMES_CHARS)} …`;
  return `No tool has these words. There are: ${all}`;
}

/** The first that fit. @param tools the one that matters most first */
function withinBounds(tools: Iterable<AnyTool>): ReadonlySet<AnyTool> {
  let chars = 0;
  const kept = new Set<AnyTool>();
  for (const tool of tools) {
    chars += JSON.stringify(toolSchema(tool)).length;
    if (kept.size === MAX_FOUND || chars > MAX_FOUND_CHARS) break;
    kept.add(tool);
  }
  return kept;
}
