import { z } from "zod";
import { type AnyTool, defineTool, type ToolCall, type ToolOutput } from "../agent/tool.ts";
import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import { joinLabels } from "../security/labels.ts";
import { mcpToolName } from "../security/tool-policy.ts";
import { fencedOutput, type KeepPorts, type ResultPlace, resultOutput } from "./call-result.ts";
import { callTool } from "./call-tool.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { answerIn, Elicitation, HOW_TO_ANSWER, isAnswerable, NO_WAY_TO_ANSWER } from "./elicitation.ts";
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

/** Most characters of a call's arguments that are shown beside an answer. */
const MAX_SHOWN_CHARS = 1_000;

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
      const { answer, args: others } = answerIn(args as JsonObject, listed);
      if (answer === undefined) return undefined;
      const shown = head(JSON.stringify(others, null, 2), MAX_SHOWN_CHARS);
      return `Answer what the MCP server '${name}' (${host}) asks when ${listed.name} is called? It gets this:\n${JSON.stringify(answer, null, 2)}\nThe arguments of the call:\n${shown}`;
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
  if (answered.fault !== undefined) throw new Error(answered.fault);
  const elicitation = new Elicitation(answered.answer);
  const asked = () => unansweredOutput(elicitation, listed, place);
  try {
    const outcome = await pool.use(server, call.signal, (connection) =>
      callTool(connection, listed, answered.args, { signal: call.signal, update: call.update, timeoutMs, elicitation }),
    );
    const output: ToolOutput =
      outcome.kind === "refused"
        ? { ...fencedOutput(outcome.words, place), failed: true }
        : await resultOutput(outcome.result, place);
    const question = asked();
    return question === undefined ? output : withQuestion(question, output);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const failure = failureForAgent(error.failure, name);
    const question = asked();
    if (question === undefined) throw new Error(failure);
    return withQuestion(question, { text: failure });
  }
}

/** What a server asked and got no answer to, and what to do about it. */
function unansweredOutput({ unanswered }: Elicitation, listed: ListedTool, place: ResultPlace): ToolOutput | undefined {
  if (unanswered === undefined) return undefined;
  const asked = fencedOutput(unanswered, place);
  return { ...asked, text: `${asked.text}\n${isAnswerable(listed) ? HOW_TO_ANSWER : NO_WAY_TO_ANSWER}` };
}

/** A question, and what the call came to without an answer: the server may have done something all the same. */
function withQuestion(question: ToolOutput, output: ToolOutput): ToolOutput {
  return {
    ...output,
    text: `${question.text}\nWhat the call came to:\n${output.text}`,
    labels: joinLabels(question.labels, output.labels),
    failed: true,
  };
}
