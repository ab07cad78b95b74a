import type { McpPlace, McpTool } from "../../fakes/mcp-server.ts";
import type { Task } from "./task.ts";

const text = (description: string) => ({ type: "string", description });

/** The tools of the servers that several tasks have. */
const KNOWN_TOOLS: readonly McpTool[] = [
  {
    name: "list_events",
    description: "Lists the events of one day of the user's calendar.",
    inputSchema: { type: "object", properties: { date: text("YYYY-MM-DD") }, required: ["date"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "create_event",
    description: "Adds an event to the user's calendar and gives it as it was added.",
    inputSchema: {
      type: "object",
      properties: { title: text("What it is"), start: text("ISO 8601 with offset"), end: text("ISO 8601 with offset") },
      required: ["title", "start", "end"],
    },
  },
];

/** What an MCP server of a task offers, and gives. @param name the server's in the task */
export function mcpPlace({ world }: Task, name: string): McpPlace {
  const gives = (result: unknown) => ({ gives: { content: [{ type: "text", text: JSON.stringify(result) }] } });
  const given = Object.entries(world.mcp[name] ?? {});
  const known = KNOWN_TOOLS.map((tool) => {
    const [, result] = given.find(([named]) => named === tool.name) ?? [];
    return { ...tool, ...(result !== undefined && gives(result)) };
  });
  const tools = world.mcpTools[name] ?? known;
  return { tools, ...(world.mcpAway === name && { hangs: "always" as const }) };
}
