import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolCall } from "../agent/tool.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Connection } from "./connect.ts";
import type { ListedTool } from "./listed-tool.ts";
import { type Outcome, overConnection } from "./over-connection.ts";

const MAX_PROGRESS_CHARS = 200;

/**
 * Calls a tool over a connection.
 * @throws ServerError if the connection fails or the time is up, or the signal's abort reason
 */
export function callTool(
  connection: Connection,
  { tool, parameters }: ListedTool,
  args: JsonObject,
  { signal, update, timeoutMs }: Pick<ToolCall, "signal" | "update"> & { timeoutMs: number },
): Promise<Outcome<CallToolResult>> {
  return overConnection(connection, { signal, timeoutMs }, (client, limits) =>
    client.callTool(
      { name: tool, arguments: args },
      {
        ...limits,
        toolDefinition: { name: tool, inputSchema: { ...parameters, type: "object" } },
        onprogress: ({ message }) => update((message ?? "").slice(0, MAX_PROGRESS_CHARS)),
      },
    ),
  );
}
