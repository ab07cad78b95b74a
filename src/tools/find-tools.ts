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
/** Most found tools whose schemas a request carries, and most characters of these. Others may be called all the same. */
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
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    find: findTool(tools, finder),
    foundIn(messages) {
      const calls = messages.flatMap((message) => (message.role === "assistant" ? toolCalls(message) : []));
      const found = calls.flatMap(({ tool, args }) => {
        if (tool !== NAME) return byName.get(tool) ?? [];
        const asked = parameters.safeParse(args);
        return asked.success ? finder(asked.data.query, asked.data.count) : [];
      });
      return withinBounds([...new Set(found)]);
    },
  };
}

const NAME = "find_tools";

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
      return { text: found.length > 0 ? found.map(shown).join("\n\n") : nothing(tools) };
    },
  });
}

function shown(tool: AnyTool): string {
  const { name, description, parameters: schema } = toolSchema(tool);
  const text = JSON.stringify(schema);
  return `${name}: ${description}\nParameters: ${text.length <= MAX_SHOWN_CHARS ? text : "see your list of tools."}`;
}

function nothing(tools: readonly AnyTool[]): string {
  const names = tools.map(({ name }) => name).join(", ");
  const all = names.length <= MAX_NAMES_CHARS ? names : `${head(names, MAX_NAMES_CHARS)} …`;
  return `No tool has these words. There are: ${all}`;
}

function withinBounds(tools: readonly AnyTool[]): AnyTool[] {
  let chars = 0;
  return tools.slice(0, MAX_FOUND).filter((tool) => {
    const size = JSON.stringify(toolSchema(tool)).length;
    if (chars + size > MAX_FOUND_CHARS) return false;
    chars += size;
    return true;
  });
}
