import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolCall } from "../agent/tool.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Connection } from "./connect.ts";
import type { Elicitation } from "./elicitation.ts";
import type { ListedTool } from "./listed-tool.ts";
import { type Outcome, overConnection } from "./over-connection.ts";

const MAX_PROGRESS_CHARS = 200;

/** What a call needs besides its arguments. */
export interface CallOptions extends Pick<ToolCall, "signal" | "update"> {
  timeoutMs: number;
  elicitation: Elicitation;
}

/**
 * Calls a tool over a connection.
 * @throws ServerError if the connection fails or the time is up, or the signal's abort reason
 */
export async function callTool(
  connection: Connection,
  { tool, parameters }: ListedTool,
  args: JsonObject,
  { signal, update, timeoutMs, elicitation }: CallOptions,
): Promise<Outcome<CallToolResult>> {
  connection.onElicitation = (asked, id) => elicitation.answer(asked, id);
  try {
    return await overConnection(connection, { signal, timeoutMs }, (client, limits) =>
      client.callTool(
        { name: tool, arguments: args },
        {
          ...limits,
          toolDefinition: { name: tool, inputSchema: { ...parameters, type: "object" } },
          onprogress: ({ message }) => update((message ?? "").slice(0, MAX_PROGRESS_CHARS)),
        },
      ),
    );
  } finally {
    connection.onElicitation = undefined;
  }
}
