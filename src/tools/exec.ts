import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "../agent/tool.ts";
import { isShellVariable } from "../config/reserved-names.ts";
import { comesWithin } from "../lib/deadline.ts";
import { head, tail } from "../lib/text.ts";
import { fromOutside, type LabelledText, type OutsidePort } from "../security/from-outside.ts";
import type { MayReach, OutputSoFar, Shell, ShellResult, ShellRun } from "../shell/shell.ts";
import type { ReadEtags } from "./read-etags.ts";

/** What commands run with. */
export interface ExecPort {
  /** The shell for a call. @param approved whether an owner has allowed it */
  shell(approved: boolean): Shell;
  /** The run's variables, which a call cannot replace. */
  env: Readonly<Record<string, string>>;
  /** Folders of the workspace that commands do not see, and why. */
  hidden: readonly { folder: string; reason: string }[];
  /** Decides which hosts a command may reach. @param approved whether an owner has allowed the call */
  mayReach(approved: boolean): MayReach;
  /** Puts values of secrets into the requests of a script. @param approved whether an owner has allowed the call */
  beforeSend(script: string, approved: boolean): ShellRun["beforeSend"];
  /** The longest time of a command, in seconds. */
  timeoutSec: number;
  /** The door for what other hosts and labelled files say. */
  outside: OutsidePort;
  /** Where a command goes on that takes longer; undefined where a call waits for its end. */
  background: BackgroundPort | undefined;
}

/** The commands that go on after their call. */
export interface BackgroundPort {
  /** After how many milliseconds a command goes on in the background. */
  afterMs: number;
  /** Whether the end of one wakes the agent. */
  wakes: boolean;
  /** Why none may go on there now, as a sentence; undefined if one may. */
  refusal(): string | undefined;
  /** Takes a command over: its end is stored. @returns its number */
  take(command: BackgroundCommand): number;
}

/** A command that runs. */
export interface BackgroundCommand {
  script: string;
  startedAt: number;
  /** What `exec` answers once it has ended; rejects if it was stopped. */
  done: Promise<ToolOutput>;
  /** What it has printed so far. */
  soFar(): ToolOutput;
  /** Stops it: its files are not stored. */
  stop(): void;
}

const parameters = z.strictObject({
  command: z.string().min(1),
  workdir: z.string().optional().describe("Folder to start in"),
  env: z.record(z.string(), z.string()).optional().describe("More variables"),
  timeout: z.number().min(1).optional().describe("Seconds, if it may take less"),
  background: z.boolean().optional().describe("Answer at once; its end wakes you"),
  yieldMs: z.number().optional().describe("Go on in the background after so long"),
});

/** Longer than any command may take. */
const MAX_WAIT_MS = 3_600_000;

/** Runs a script over the workspace. Not safe to replay: it may append to files and send requests. */
export function execTool(port: ExecPort, etags: ReadEtags): Tool<z.infer<typeof parameters>> {
  const { background: behind } = port;
  const waits =
    behind === undefined
      ? ""
      : `; after ${behind.afterMs / 1000} s (or yieldMs, or with background at once) ${goesOn(behind)}`;
  return defineTool({
    name: "exec",
    summary: "Run shell commands",
    description:
      "Runs a bash script in /workspace with the usual programs, rg, jq, tar, unzip and curl among them (`ls /bin` lists all). " +
      "It is simulated: no python, node, git or package manager. Only files in /workspace stay; /skills is read-only. " +
      `curl reaches the public internet only. It is stopped after ${port.timeoutSec} s${waits}.`,
    parameters,
    replay: "unsafe",
    sequential: true,
    effects: ({ command }) => [{ kind: "run", script: command }],
    async run({ command, workdir, env = {}, timeout, background = false, yieldMs }, call) {
      const taken = Object.keys(env).find((name) => Object.hasOwn(port.env, name) || isShellVariable(name));
      if (taken !== undefined) throw new Error(`env cannot set ${taken}: it has a value already. Nothing was run.`);
      call.signal.throwIfAborted();
      const refusal = background ? behind?.refusal() : undefined;
      if (refusal !== undefined) throw new Error(`background: ${refusal} Nothing was run.`);
      const startedAt = call.now();
      const stopping = new AbortController();
      const stop = () => stopping.abort(call.signal.reason);
      let soFar: OutputSoFar | undefined;
      let isBehind = false;
      const shell = port.shell(call.approved);
      const running = shell.run(command, {
        ...(workdir !== undefined && { cwd: workdir }),
        env: { ...env, ...port.env },
        timeoutMs: Math.min(timeout ?? port.timeoutSec, port.timeoutSec) * 1000,
        signal: stopping.signal,
        mayReach: port.mayReach(call.approved),
        beforeSend: port.beforeSend(command, call.approved),
        onOutput: (output) => {
          soFar = output;
          if (!isBehind && !call.signal.aborted) call.update(output.text);
        },
      });
      const named = port.hidden.filter(({ folder }) => `${workdir}\n${command}`.includes(folder.slice(0, -1)));
      const done = running.then((result) => {
        if (isBehind) forgetEtags(result, etags);
        else recordEtags(result, etags);
        const maxChars = isBehind ? MAX_BACKGROUND_CHARS : MAX_STREAM_CHARS;
        return execResult(result, port.outside, { hidden: named, maxChars });
      });
      call.signal.addEventListener("abort", stop, { once: true });
      try {
        if (behind === undefined) return await done;
        const waitMs = background ? 0 : Math.min(yieldMs ?? behind.afterMs, MAX_WAIT_MS);
        if ((await comesWithin(waitMs, done)) || behind.refusal() !== undefined) return await done;
        call.signal.throwIfAborted();
        isBehind = true;
        const outputSoFar = () => printedSoFar(soFar, port.outside);
        const taken = { script: command, startedAt, done, soFar: outputSoFar, stop };
        return stillRunning(takeOver(taken, behind), behind, outputSoFar());
      } finally {
        call.signal.removeEventListener("abort", stop);
      }
    },
  });
}

/** Gives a command to the background. One that is not taken over is stopped: nobody would know of it. @throws Error */
function takeOver(command: BackgroundCommand, behind: BackgroundPort): number {
  try {
    return behind.take(command);
  } catch (error) {
    command.stop();
    throw error;
  }
}

/** What a command has printed so far, for the model. */
function printedSoFar(soFar: OutputSoFar | undefined, outside: OutsidePort): ToolOutput {
  const { text, labels } = shownOutput(soFar ?? { text: "", hosts: [], labels: [] }, outside);
  return { text: text || "It has printed nothing yet.", ...(labels.length > 0 && { labels }) };
}

function goesOn({ wakes }: Pick<BackgroundPort, "wakes">): string {
  return `it goes on in the background${wakes ? ", and its end wakes you" : ""}`;
}

function stillRunning(id: number, { wakes }: BackgroundPort, { text, ...labels }: ToolOutput): ToolOutput {
  const then = wakes
    ? "Its end wakes you, with its result: do not wait for it."
    : "Its end wakes nobody: `process` has its result then.";
  const notice = `It still runs, as process ${id}. ${then}`;
  return { text: `${text}\n\n${notice}`, ...labels };
}

/** Records the new versions of files that the agent created, or whose previous version it had seen. */
function recordEtags({ written, removed }: ShellResult, etags: ReadEtags): void {
  for (const { path, etag, before } of written) {
    if (before === undefined || etags.get(path) === before) etags.set(path, etag);
  }
  for (const path of removed) etags.forget(path);
}

/** What a command in the background changed, the agent has not seen: it must read it before it writes over it. */
function forgetEtags({ written, removed }: ShellResult, etags: ReadEtags): void {
  for (const path of [...written.map(({ path }) => path), ...removed]) etags.forget(path);
}

/** The request of a call of `exec`. */
export interface ExecRequest {
  command: string;
  workdir?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
}

/** The most characters shown of a script, and of its folder and variables. */
const MAX_SCRIPT_CHARS = 1_200;
const MAX_GIVEN_CHARS = 300;

/** What no font draws, or draws as a blank: U+2800, Hangul fillers and other ignorable characters among them. */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\u3164\uffa0\u115f\u1160]/gu;

/**
 * The question to an owner before a script runs: one line and the script below it. Nothing is hidden: a long script
 * says how much is left out and shows its end, and invisible characters are shown by their code points.
 */
export function execQuestion({ command, workdir, env = {} }: ExecRequest): string {
  const given = [
    ...(workdir === undefined ? [] : [`in ${workdir}`]),
    ...Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ].join(", ");
  const besides =
    given === "" ? [] : [`# ${boundedScript(withVisibleControls(given).replaceAll("\n", " "), MAX_GIVEN_CHARS)}`];
  return ["Run this?", ...besides, boundedScript(withVisibleControls(command), MAX_SCRIPT_CHARS)].join("\n");
}

/** A script in at most `max` characters, with a line that says how much is not shown. */
export function boundedScript(text: string, max: number): string {
  if (text.length <= max) return text;
  const [first, last] = [head(text, max * 0.7), tail(text, max * 0.3)];
  const left = text.length - first.length - last.length;
  return `${first}\n[${left} characters are not shown here, and run all the same: deny it unless you have seen them.]\n${last}`;
}

/** A text whose invisible characters are shown by their code points. */
export function withVisibleControls(text: string): string {
  return text.replace(UNSEEN, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`).toWellFormed();
}

/** The most characters of each stream in a result, and in that of a command in the background. */
const MAX_STREAM_CHARS = 100_000;
const MAX_BACKGROUND_CHARS = 6_000;
/** The most paths that are listed. */
const MAX_PATHS = 50;

/** What bounds a result. */
interface ResultBounds {
  /** Folders that the script names and that are not there for it. */
  hidden?: readonly { folder: string; reason: string }[];
  /** The most characters of each stream. */
  maxChars?: number;
}

/**
 * The result of a command for the model: its output, then the outcome. If other hosts answered, or labelled files were read, the output
 * is fenced as external content.
 */
export function execResult(
  result: ShellResult,
  outside: OutsidePort,
  { hidden = [], maxChars = MAX_STREAM_CHARS }: ResultBounds = {},
): ToolOutput {
  const { stdout, stderr, exitCode, stopped } = result;
  const printed = [
    ...(stdout === "" ? [] : [boundedStream(stdout, maxChars)]),
    ...(stderr === "" ? [] : [`stderr:\n${boundedStream(stderr, maxChars)}`]),
  ].join("\n");
  const shown = shownOutput({ ...result, text: printed }, outside);
  const outcome = [
    ...(stopped === undefined ? [] : [stopped]),
    ...(exitCode === 0 ? [] : [`Exit code ${exitCode}.`]),
    ...pathList(
      "Wrote",
      result.written.map(({ path }) => path),
    ),
    ...pathList("Removed", result.removed),
    ...conflictList(result.conflicts),
    ...hidden.map(({ folder, reason }) => `Commands do not see ${folder}, because the skill is quarantined: ${reason}`),
  ];
  const text =
    outcome.length === 0
      ? shown.text || "Done. It printed nothing."
      : [...(shown.text === "" ? [] : [shown.text, ""]), ...outcome].join("\n");
  return { text, ...(shown.labels.length > 0 && { labels: shown.labels }) };
}

/** What was printed; fenced as external content if other hosts answered, or labelled files were read. */
function shownOutput({ text, hosts, labels }: OutputSoFar, outside: OutsidePort): LabelledText {
  if (text === "" || labels.length === 0) return { text, labels };
  const metadata = { ...(hosts.length > 0 && { Hosts: hosts.join(", ") }) };
  return fromOutside({ text, source: hosts.length > 0 ? "web_fetch" : "unknown", labels, metadata }, outside);
}

function pathList(verb: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : "";
  return [`${verb}: ${paths.slice(0, MAX_PATHS).join(", ")}${more}`];
}

function conflictList(conflicts: readonly string[]): string[] {
  if (conflicts.length === 0) return [];
  const shown = conflicts.slice(0, MAX_PATHS).map((sentence) => `- ${sentence}`);
  const more = conflicts.length > MAX_PATHS ? [`- and ${conflicts.length - MAX_PATHS} more`] : [];
  return ["Not written as the script wanted:", ...shown, ...more];
}

/** The head and the tail of a long output. */
function boundedStream(text: string, maxChars: number): string {
  const whole = text.replace(/\n$/, "");
  if (whole.length <= maxChars) return whole;
  const [first, last] = [head(whole, maxChars * 0.75), tail(whole, maxChars * 0.25)];
  const left = whole.length - first.length - last.length;
  return `${first}\n[${left} of ${whole.length} characters are left out here. Write to a file to have all of it.]\n${last}`;
}
