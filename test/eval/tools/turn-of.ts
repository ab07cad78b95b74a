import { patternIn, sampleOf } from "./pattern.ts";
import type { Turn } from "./scripted-model.ts";
import type { Task, WorldFile } from "./task.ts";

/** What the ids and servers of a task are here. */
export interface Place {
  /** By the id in the task. */
  jobIds: Readonly<Record<string, string>>;
  /** By the name in the task. */
  servers: Readonly<Record<string, string>>;
}

type Args = Record<string, unknown>;

/**
 * What a model does that takes every step of a task.
 * @throws Error where the steps alone do not say it
 */
export function turnOf(task: Task, place: Place): Turn {
  const { calls, answer = "$ALL" } = task.script;
  const named = calls?.map(([tool, args]) => ({
    tool: hereTool(tool, place),
    args: { ...args, ...jobOf(args, place) },
  }));
  return { calls: named ?? callsOf(task, place), answer };
}

function callsOf(task: Task, place: Place): Turn["calls"] {
  return task.steps.flatMap((step) => {
    if ("optional" in step) return [];
    const tools = "one" in step ? [step.one] : step.any;
    return tools.flatMap(([name]) => {
      if (name === undefined) return [];
      const asked = Object.entries(step.args ?? {}).filter(([path]) => "one" in step || belongs(path, name));
      const args: Args = {};
      for (const [path, value] of asked) setAt(args, path, typeof value === "string" ? textOf(value) : value);
      return [{ tool: hereTool(name, place), args: completed(name, args, task, place) }];
    });
  });
}

/** Whether an argument of a step with several tools is one of this tool. */
function belongs(path: string, tool: string): boolean {
  return /^(?:action|schedule|payload|jobId)\b/.test(path) === (tool === "cron");
}

function textOf(value: string): string {
  const pattern = patternIn(value);
  return pattern === undefined ? value : sampleOf(pattern);
}

/** Adds what a call of this tool has besides what the task asks for. */
function completed(name: string, args: Args, { say, world: { files } }: Task, place: Place): Args {
  if (name === "message" && args.channel !== undefined) return { to: `${args.channel}:${args.to}`, text: args.text };
  if (name === "write") {
    const before: WorldFile = files[String(args.path)] ?? "";
    return { ...args, content: `${typeof before === "string" ? before : ""}${args.content ?? say}\n` };
  }
  if (name !== "cron") return args;
  const {
    schedule,
    payload,
    action = "add",
  } = args as { schedule?: object; payload?: { kind?: string }; action?: string };
  const isTurn = payload?.kind === "agentTurn";
  const what = isTurn ? { kind: "agentTurn", message: say } : { kind: "systemEvent", text: say };
  const added = action === "add" && { schedule: { kind: "at", ...schedule }, payload: what };
  return { ...args, ...jobOf(args, place), action, ...added };
}

function jobOf({ jobId }: Args, { jobIds }: Place): Args {
  return typeof jobId === "string" ? { jobId: jobIds[jobId] ?? jobId } : {};
}

function hereTool(name: string, { servers }: Place): string {
  const [server = "", tool] = name.split("__");
  return tool === undefined ? name : `mcp_${servers[server] ?? server}_${tool}`;
}

function setAt(args: Args, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let at = args;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key] as Args;
  }
  at[last] = value;
}
