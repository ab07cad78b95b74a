import { z } from "zod";
import { type AnyTool, defineTool, type ToolCall, type ToolOutput } from "../agent/tool.ts";
import type { JsonObject } from "../lib/json.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import { mcpToolName } from "../security/tool-policy.ts";
import { fencedOutput, type KeepPorts, type ResultPlace, resultOutput } from "./call-result.ts";
import { callTool } from "./call-tool.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { answerIn, Elicitation, HOW_TO_ANSWER } from "./elicitation.ts";
import { failureForAgent, ServerError } from "./failure.ts";
import type { ListedTool } from "./listed-tool.ts";
import { timeoutMsOf } from "./mcp-deps.ts";
import type { ServerState } from "./server-state.ts";

/** What the tools of servers need in a turn. */
export interface McpToolDeps extends KeepPorts {
  pool: ConnectionPool;
  /** The door for words of servers. */
  outside: OutsidePort;
}

const parameters = z.record(z.string(), z.unknown());

/** A tool of a server. The server checks its arguments. */
export function mcpTool(server: ServerState, listed: ListedTool, deps: McpToolDeps): AnyTool {
  const { name, config, host } = server;
  return defineTool<z.infer<typeof parameters>>({
    name: listed.name,
    summary: `${listed.tool} of the MCP server '${name}'`,
    listedAs: { name: mcpToolName(name, "*"), summary: `Tools of the MCP server '${name}' (${host})` },
    description: `${listed.tool} of the MCP server '${name}' (${host}), in its own words: ${listed.description}`,
    parameters,
    schema: listed.parameters,
    replay: "unsafe",
    sequential: true,
    effects: (args) => [
      {
        kind: "call",
        tool: listed.name,
        server: name,
        url: config.url,
        isTrusted: config.trusted,
        shown: JSON.stringify(args, null, 2),
      },
    ],
    approval: (args) => {
      const { answer } = answerIn(args as JsonObject, listed);
      if (answer === undefined) return undefined;
      return `Answer what the MCP server '${name}' (${host}) asked when ${listed.name} was called? It gets this:\n${JSON.stringify(args, null, 2)}`;
    },
    asksEachTime: true,
    run: (args, call) => run(server, listed, JSON.parse(JSON.stringify(args)), call, deps),
  });
}

async function run(
  server: ServerState,
  listed: ListedTool,
  args: JsonObject,
  call: ToolCall,
  { pool, ...deps }: McpToolDeps,
): Promise<ToolOutput> {
  const { name, host } = server;
  const timeoutMs = timeoutMsOf(server);
  const place: ResultPlace = { server: name, host, tool: listed.tool, ...deps };
  const answered = answerIn(args, listed);
  const elicitation = new Elicitation(answered.answer);
  try {
    const outcome = await pool.use(server, call.signal, (connection) =>
      callTool(connection, listed, answered.args, { signal: call.signal, update: call.update, timeoutMs, elicitation }),
    );
    if (elicitation.unanswered !== undefined) {
      const asked = fencedOutput(elicitation.unanswered, place);
      return { ...asked, text: `${asked.text}\n${HOW_TO_ANSWER}`, failed: true };
    }
    if (outcome.kind === "refused") return { ...fencedOutput(outcome.words, place), failed: true };
    return await resultOutput(outcome.result, place);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    throw new Error(failureForAgent(error.failure, name));
  }
}
