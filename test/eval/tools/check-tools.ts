import type { AnyTool } from "../../../src/agent/tool.ts";
import { toolSchema } from "../../../src/agent/tool.ts";
import { wrongArguments } from "../../../src/agent/wrong-arguments.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { type ToolDeps, toolsFor } from "../../../src/tools/index.ts";
import { TOOL_TASKS, type ToolTask } from "./tool-tasks.ts";

/** The most characters of the schemas of all built-in tools together: every request carries them. */
export const MAX_SCHEMA_CHARS = 18_000;

export interface ToolReport {
  tasks: number;
  /** Tasks whose right call the tool takes, and whose wrong calls it explains. */
  done: number;
  wrongCalls: number;
  charsOfSchemas: number;
  failed: string[];
}

/** All built-in tools of an owner's turn, without anything behind them: they cannot be run. */
export function allTools(): AnyTool[] {
  const nothing = { maySpawn: true, timeoutSec: 120, service: { name: "Search", url: "https://search.example.org" } };
  const media = new Proxy({}, { get: () => nothing });
  const behind = new Proxy({}, { get: (_, port) => (port === "media" ? media : nothing) });
  return toolsFor(Object.assign(Object.create(behind) as ToolDeps, { owner: true, plans: true, has: () => true }));
}

/** Checks every task against the schemas of its tools. */
export function checkTools(tasks: readonly ToolTask[] = TOOL_TASKS): ToolReport {
  const tools = allTools();
  const failed = tasks.flatMap((task) => faultsOf(task, tools));
  const unused = tools.filter(({ name }) => !tasks.some(({ tools: [right] }) => right === name));
  const charsOfSchemas = tools.reduce((chars, tool) => chars + JSON.stringify(toolSchema(tool)).length, 0);
  return {
    tasks: tasks.length,
    done: tasks.filter((task) => faultsOf(task, tools).length === 0).length,
    wrongCalls: tasks.reduce((calls, { wrong }) => calls + wrong.length, 0),
    charsOfSchemas,
    failed: [
      ...failed,
      ...unused.map(({ name }) => `${name} has no task.`),
      ...(charsOfSchemas > MAX_SCHEMA_CHARS ? [`The schemas have ${charsOfSchemas} characters.`] : []),
    ],
  };
}

function faultsOf({ id, tools: right, args, wrong }: ToolTask, tools: readonly AnyTool[]): string[] {
  const unknown = right.filter((name) => !tools.some((tool) => tool.name === name));
  const [first] = right;
  const tool = tools.find(({ name }) => name === first);
  if (tool === undefined || unknown.length > 0) return [`${id}: there is no tool ${unknown.join(", ")}.`];
  const said = explanation(tool, args);
  return [
    ...(said === undefined ? [] : [`${id}: the right call is refused.\n${said}`]),
    ...wrong.flatMap((call) => {
      const lines = explanation(tool, call.args)?.split("\n");
      if (lines === undefined) return [`${id}: a wrong call is taken: ${JSON.stringify(call.args)}`];
      const missing = call.says.filter((begin) => !lines.some((line) => line.startsWith(begin)));
      return missing.map((begin) => `${id}: "${begin}" is not said:\n${lines.join("\n")}`);
    }),
  ];
}

/** What a model is told about its arguments; undefined if they are right. */
function explanation(tool: AnyTool, args: object): string | undefined {
  const parsed = tool.parameters.safeParse(args);
  return parsed.success ? undefined : wrongArguments(tool, args as JsonObject, parsed.error);
}
