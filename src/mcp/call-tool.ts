import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolCall } from "../agent/tool.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Connection } from "./connect.ts";
import { failureOf, ServerError, serverWords } from "./failure.ts";
import type { ListedTool } from "./listed-tool.ts";

/** What a call came to: a result, or that the server refused it, in its words. */
export type CallOutcome = { kind: "result"; result: CallToolResult } | { kind: "refused"; words: string };

const MAX_PROGRESS_CHARS = 200;

/**
 * Calls a tool over a connection.
 * @throws ServerError if the connection fails or the time is up, or the signal's abort reason
 */
export async function callTool(
  connection: Connection,
  { tool, parameters }: ListedTool,
  args: JsonObject,
  { signal, update, timeoutMs }: Pick<ToolCall, "signal" | "update"> & { timeoutMs: number },
): Promise<CallOutcome> {
  const { ProtocolError } = await import("@modelcontextprotocol/client");
  const broken = new AbortController();
  connection.onStreamEnd = () => broken.abort("broken");
  try {
    const result = await connection.client.callTool(
      { name: tool, arguments: args },
      {
        signal: AbortSignal.any([signal, broken.signal]),
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        toolDefinition: { name: tool, inputSchema: { ...parameters, type: "object" } },
        onprogress: ({ message }) => update((message ?? "").slice(0, MAX_PROGRESS_CHARS)),
      },
    );
    return { kind: "result", result };
  } catch (error) {
    signal.throwIfAborted();
    if (broken.signal.aborted) throw new ServerError({ kind: "away", message: "The connection broke off." });
    if (error instanceof ProtocolError) return { kind: "refused", words: serverWords(error) };
    throw new ServerError(failureOf(error, timeoutMs));
  } finally {
    connection.onStreamEnd = undefined;
  }
}
