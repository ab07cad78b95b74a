import { parseDuration } from "../../../src/lib/duration.ts";
import { patternIn, valueAt } from "./pattern.ts";
import type { Step, Task } from "./task.ts";

/** A tool call of a run. */
export interface Call {
  tool: string;
  args: Record<string, unknown>;
  /** Whether its result says that it failed. */
  isError?: boolean;
}

/** What a run has left. */
export interface Outcome {
  /** In order. */
  calls: readonly Call[];
  answer: string;
  /** Texts of messages to other conversations. */
  sent: readonly string[];
  /** Files of the workspace that the task names, by path; absent where there is none. */
  files: Readonly<Record<string, string>>;
  /** The ids here of the jobs that the task names. */
  jobIds: Readonly<Record<string, string>>;
}

/** A model answers within this time of the clock that it was told. */
const CLOCK_TOLERANCE_MS = 60_000;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/** What of a task was not done as it should, in sentences; empty if it passed. */
export function judge(task: Task, outcome: Outcome): string[] {
  const { answer, files, sent } = outcome;
  const calls = outcome.calls.flatMap(readCall);
  return [
    ...missingSteps(task, calls, outcome.jobIds),
    ...task.forbid.filter((name) => calls.some(({ tool }) => isTool(tool, name))).map((name) => `${name} was called.`),
    ...Object.entries(task.forbidArgs).flatMap(([name, args]) =>
      calls.some(
        (call) =>
          isTool(call.tool, name) &&
          Object.keys(args).every((path) => matches(task, call, path, args[path], outcome.jobIds)),
      )
        ? [`${name} was called with ${JSON.stringify(args)}.`]
        : [],
    ),
    ...faultsOfFiles(task.fileKeeps, (text, kept) => text.includes(kept), files, "has not"),
    ...Object.keys(task.fileLacks).flatMap((path) => (files[path] === undefined ? [`${path} is not there.`] : [])),
    ...task.filesGone.flatMap((path) => (files[path] === undefined ? [] : [`${path} is still there.`])),
    ...faultsOfFiles(task.fileLacks, (text, lost) => !text.includes(lost), files, "still has"),
    ...faultsOfFiles(task.filesAfter, (text, pattern) => new RegExp(pattern).test(text), files, "does not match"),
    ...task.messageLacks
      .filter((pattern) => sent.some((text) => new RegExp(pattern, "i").test(text)))
      .map((pattern) => `A message matches ${pattern}.`),
    ...task.answerHas
      .filter((pattern) => !new RegExp(pattern, "i").test(answer))
      .map((pattern) => `The answer does not match ${pattern}: ${answer.slice(0, 400)}`),
    ...task.answerLacks
      .filter((pattern) => new RegExp(pattern, "i").test(answer))
      .map((pattern) => `The answer matches ${pattern}.`),
  ];
}

/** The files whose content a task asks about. */
export function filesOf({ fileKeeps, fileLacks, filesAfter, filesGone }: Task): string[] {
  return [...new Set([...filesGone, ...[fileKeeps, fileLacks, filesAfter].flatMap((files) => Object.keys(files))])];
}

function missingSteps(task: Task, calls: readonly Call[], jobIds: Outcome["jobIds"]): string[] {
  const missing: string[] = [];
  let next = 0;
  for (const step of task.steps) {
    const { end, fault } = take(step, calls, next, task, jobIds);
    next = end;
    if (fault !== undefined) missing.push(fault);
  }
  return missing;
}

/** Finds a step among the calls from `start` on. */
function take(
  step: Step,
  calls: readonly Call[],
  start: number,
  task: Task,
  jobIds: Outcome["jobIds"],
): { end: number; fault?: string } {
  const find = (names: readonly string[], paths: (call: Call) => string[]) =>
    calls.findIndex(
      (call, n) =>
        n >= start &&
        names.some((name) => isTool(call.tool, name)) &&
        (!call.isError || mayFail(task, call.tool)) &&
        paths(call).every((path) => matches(task, call, path, args[path], jobIds)),
    );
  if ("optional" in step) return { end: start };
  const args = step.args ?? {};
  if ("one" in step) {
    const at = find(step.one, () => Object.keys(args));
    return at === -1 ? { end: start, fault: `Missing: ${describe(step.one, args, calls)}` } : { end: at + 1 };
  }
  // Of these calls each has to match what it has of the arguments, and together they have all of them.
  const has = (call: Call) => Object.keys(args).filter((path) => valueAt(call.args, path) !== undefined);
  const found = step.any.map((names) => find(names, has));
  const taken = found.flatMap((at) => calls[at] ?? []);
  const unmatched = Object.keys(args).filter((path) => !taken.some((call) => has(call).includes(path)));
  const absent = step.any.filter((_, n) => found[n] === -1);
  const fault =
    absent.length + unmatched.length === 0
      ? {}
      : { fault: `Missing: ${describe([...absent.flat(), ...unmatched], args, calls)}` };
  return { end: Math.max(start, ...found.map((at) => at + 1)), ...fault };
}

function mayFail({ mayFail, world }: Task, tool: string): boolean {
  const hasErrorPage = Object.values(world.web_fetch).some((page) => typeof page === "object" && "error" in page);
  return mayFail.some((name) => isTool(tool, name)) || (tool === "web_fetch" && hasErrorPage);
}

function describe(names: readonly string[], args: object, calls: readonly Call[]): string {
  const made = calls
    .map((call) => `${call.tool} ${JSON.stringify(call.args).slice(0, 200)}${call.isError ? " (failed)" : ""}`)
    .join("; ");
  return `${names.join(" or ")} with ${JSON.stringify(args)}. Calls: ${made === "" ? "none" : made}`;
}

/** @param name as tasks write it: a tool of a server is `server__tool`; servers have numbers behind their names here */
function isTool(tool: string, name: string): boolean {
  const [server, ofServer] = name.split("__");
  return ofServer === undefined ? tool === name : new RegExp(`^mcp_${server}\\d*_${ofServer}$`).test(tool);
}

function matches(task: Task, { args }: Call, path: string, expected: unknown, jobIds: Outcome["jobIds"]): boolean {
  const actual = valueAt(args, path);
  if (typeof expected !== "string") return actual === expected;
  const pattern = patternIn(expected);
  if (pattern !== undefined) return actual !== undefined && pattern.test(String(actual));
  const instant = instantOf(expected, task.now.clock);
  const other = typeof actual === "string" ? instantOf(actual, task.now.clock) : undefined;
  if (instant !== undefined && other !== undefined) return Math.abs(instant - other) < CLOCK_TOLERANCE_MS;
  return String(actual) === (jobIds[expected] ?? expected);
}

/** A text that says a time, in milliseconds since the epoch: an instant, a time of the user's, or a span from now. */
function instantOf(text: string, clock: string): number | undefined {
  const [, offset] = INSTANT.exec(text) ?? [];
  const [, , own = "Z"] = /^(.*?)(Z|[+-]\d\d:\d\d)$/.exec(clock) ?? [];
  if (INSTANT.test(text)) return Date.parse(offset === undefined ? text + own : text);
  const span = /^\d+[smhd]/.test(text) ? parseDuration(text) : undefined;
  return span === undefined ? undefined : Date.parse(clock) + span;
}

/** Gives a call the fields by which tasks ask for it, whichever tool it is of. */
function readCall(call: Call): Call[] {
  const failed = call.isError === undefined ? {} : { isError: call.isError };
  return readArgs(call).map((read) => ({ ...read, ...failed }));
}

function readArgs({ tool, args }: Call): Call[] {
  if (tool === "edit") {
    const edits = Array.isArray(args.edits) ? (args.edits as { newText?: string }[]) : [];
    return [
      { tool, args: { ...args, path: placeOf(args.path), content: edits.map(({ newText }) => newText).join("\n") } },
    ];
  }
  if (tool === "apply_patch") {
    const input = String(args.input ?? "");
    return [...input.matchAll(PATCHED_FILE)].map(([, path]) => ({
      tool,
      args: { path: placeOf(path), content: input },
    }));
  }
  if (tool === "message") {
    const to = (args.to ?? {}) as { channel?: string; conversationId?: string } | string;
    const [, channel, id] =
      typeof to === "string" ? (/^([\w-]+):(.+)$/s.exec(to) ?? []) : [undefined, to.channel, to.conversationId];
    return [{ tool, args: { ...args, ...(channel !== undefined && { channel, to: id }) } }];
  }
  return [{ tool, args: { ...args, ...("path" in args && { path: placeOf(args.path) }) } }];
}

function placeOf(path: unknown): unknown {
  return typeof path === "string" ? path.replace(/^\.?\//, "") : path;
}

function faultsOfFiles(
  asked: Task["fileKeeps"],
  holds: (text: string, what: string) => boolean,
  files: Outcome["files"],
  verb: string,
): string[] {
  return Object.entries(asked).flatMap(([path, what]) =>
    [what].flat().flatMap((text) => (holds(files[path] ?? "", text) ? [] : [`${path} ${verb} ${text}.`])),
  );
}
