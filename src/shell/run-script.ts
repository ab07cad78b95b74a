import { Bash } from "just-bash/browser";
import { isShellVariable } from "../config/reserved-names.ts";
import { deadline } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { hostLabel, joinLabels, type Label } from "../security/labels.ts";
import type { Mask } from "../security/mask.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { withInstead } from "./absent-programs.ts";
import { boundedDiff, boundedPrograms } from "./bounded-programs.ts";
import { PROGRAMS, SHELL_COMMANDS } from "./commands.ts";
import { EXECUTION_LIMITS } from "./limits.ts";
import { LiveOutput } from "./live-output.ts";
import { mktemp, realpath } from "./path-programs.ts";
import { bashCommands, xargs } from "./program-arguments.ts";
import { RunFiles } from "./run-files.ts";
import { RunLimiter } from "./run-limiter.ts";
import { type Mount, type ReadOnlyFiles, readOnlyMount, workspaceMount } from "./run-tree.ts";
import { DECODERS, TEXT_VARIABLES, takesTurns } from "./script-transforms.ts";
import type { ShellResult, ShellRun } from "./shell.ts";
import { ShellRequests } from "./shell-requests.ts";
import { tar } from "./tar.ts";
import { isWithin, normalPath, type StoredFile, WORKSPACE } from "./tree.ts";
import { OUTPUT_MARKS, tellingPrograms } from "./visible-output.ts";
import { findChanges, writeBack } from "./write-back.ts";
import { yq } from "./yq.ts";
import { unzip, zip } from "./zip.ts";

/** The files, network and secrets mask that a shell works with. */
export interface ShellDeps {
  workspace: Pick<Workspace, "walk" | "read" | "write" | "remove">;
  /** Read-only files outside the workspace. Mounts inside `/workspace` are ignored. */
  mounts: readonly ReadOnlyFiles[];
  /** The fetch that `curl` uses. */
  fetch: SafeFetch;
  mask: Mask;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Variables that every script starts with; variables of a run do not replace them. */
const BASE_ENV: Readonly<Record<string, string>> = {
  HOME: WORKSPACE,
  PATH: "/usr/bin:/bin",
  LANG: "C.UTF-8",
  SHELL: "/bin/bash",
  TMPDIR: "/tmp",
  USER: "user",
};

/** The programs that just-bash brings, and those that we have in their place or besides. */
const JUST_BASH = [...PROGRAMS, "curl"];
const OWN = [...bashCommands, boundedDiff, ...boundedPrograms, xargs, yq, tar, zip, unzip, mktemp, realpath];

/** How long an aborted command may take to end, in milliseconds. */
const GRACE_MS = 1_000;
const TIME_OVER = 124;

/** Runs one script in a shell of just-bash over a workspace, and stores what it has changed there. */
export async function runScript(script: string, options: ShellRun, deps: ShellDeps): Promise<ShellResult> {
  const { signal, timeoutMs } = options;
  signal.throwIfAborted();
  const time = deadline(timeoutMs);
  const overrun = new AbortController();
  const memory = new RunLimiter((why) => overrun.abort(why), deps.now);
  const listed: StoredFile[] = [];
  const labels = new Set<Label>();
  const note = (found: readonly Label[]) => {
    for (const label of found) labels.add(label);
  };
  const mounts = [recordListing(workspaceMount(deps.workspace, note), listed), ...readOnlyMounts(deps.mounts)];
  const files = new RunFiles(mounts, [...SHELL_COMMANDS, ...DECODERS.map(({ name }) => name)], memory, deps.now);
  const seen = () => joinLabels([...labels], requests.hosts.map(hostLabel));
  const requests: ShellRequests = new ShellRequests(
    (url, init) => memory.idle(() => deps.fetch(url, { ...init, beforeSend: options.beforeSend })),
    (url, sends) => options.mayReach?.({ url, sends, labels: seen() }),
  );
  const live = new LiveOutput(
    (text) => options.onOutput?.({ text, hosts: requests.hosts.map(deps.mask.mask), labels: seen() }),
    deps.mask,
    deps.now,
  );
  const end = await execute(script, options, {
    files,
    memory,
    requests,
    live,
    signal: AbortSignal.any([signal, time.signal, overrun.signal]),
  });
  live.close();
  files.close();
  time.done();
  signal.throwIfAborted();
  const isOver = time.signal.aborted || hitDeadline(end);
  const stopped = stopReason(isOver ? timeoutMs : undefined, overrun.signal, end);
  const after = files.workspace();
  const changes = after === undefined ? undefined : findChanges(listed, after, stopped !== undefined);
  const stored =
    changes &&
    (await writeBack(changes, {
      workspace: deps.workspace,
      mask: deps.mask,
      labels: () => {
        note(requests.hosts.map(hostLabel));
        return joinLabels([...labels]);
      },
      signal,
    }));
  note(requests.hosts.map(hostLabel));
  const { mask } = deps.mask;
  return {
    stdout: mask(withInstead(end.stdout)),
    stderr: mask(withInstead(end.stderr.replace(LIMIT_ADVICE, ""))),
    exitCode: isOver ? TIME_OVER : end.exitCode,
    ...(stopped !== undefined && { stopped }),
    written: stored?.written ?? [],
    removed: stored?.removed ?? [],
    conflicts: [...(stored?.conflicts ?? []), ...lostFileNotes(files)].map(mask),
    hosts: requests.hosts.map(mask),
    labels: seen(),
  };
}

interface ScriptEnd {
  stdout: string;
  stderr: string;
  exitCode: number;
}

interface ScriptDeps {
  files: RunFiles;
  memory: RunLimiter;
  requests: ShellRequests;
  live: LiveOutput;
  signal: AbortSignal;
}

/** Runs the script until it ends, or until `GRACE_MS` after it was aborted. Never rejects. */
async function execute(
  script: string,
  options: ShellRun,
  { files, memory, requests, live, signal }: ScriptDeps,
): Promise<ScriptEnd> {
  const cwd = normalPath(
    (options.cwd ?? "").startsWith("/") ? (options.cwd ?? "") : `${WORKSPACE}/${options.cwd ?? ""}`,
  );
  let gaveUp: ReturnType<typeof setTimeout> | undefined;
  try {
    if (cwd !== WORKSPACE && !(await isFolder(files, cwd))) {
      return { stdout: "", stderr: `bash: cd: ${options.cwd}: No such file or directory\n`, exitCode: 1 };
    }
    const variables = Object.entries(options.env ?? {}).filter(([name]) => !isShellVariable(name));
    const bash = new Bash({
      fs: files,
      cwd,
      env: { ...Object.fromEntries(variables), ...BASE_ENV },
      commands: [...PROGRAMS],
      executionLimits: { ...EXECUTION_LIMITS, maxExecutionTimeMs: options.timeoutMs },
      customCommands: [...tellingPrograms(JUST_BASH, OWN, (text) => live.add(text)), ...DECODERS],
      fetch: requests.fetch,
      sleep: (ms) => memory.idle(() => sleep(ms, signal)),
      // It replaces globals of the isolate, which other requests share.
      defenseInDepth: false,
    });
    bash.registerTransformPlugin(OUTPUT_MARKS);
    bash.registerTransformPlugin(takesTurns);
    bash.registerTransformPlugin(TEXT_VARIABLES);
    const stdin = options.stdin === undefined ? {} : { stdin: options.stdin };
    const late = new Promise<ScriptEnd>((resolve) => {
      const giveUp = () => {
        gaveUp = setTimeout(() => resolve({ stdout: "", stderr: "", exitCode: TIME_OVER }), GRACE_MS);
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp, { once: true });
    });
    return await Promise.race([bash.exec(script, { rawScript: true, signal, ...stdin }), late]);
  } catch (thrown) {
    return { stdout: "", stderr: `bash: ${messageOf(thrown)}\n`, exitCode: 1 };
  } finally {
    clearTimeout(gaveUp);
  }
}

/** Waits for some milliseconds, or until the run is aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function isFolder(files: RunFiles, path: string): Promise<boolean> {
  try {
    return (await files.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/** A hint of just-bash that addresses its host application. */
const LIMIT_ADVICE = /, increase executionLimits\.\w+/g;
const LIMIT_EXIT = 126;

/** Sentences about files that were written outside the workspace or to read-only folders. */
function lostFileNotes(files: RunFiles): string[] {
  const strays = files.strays();
  return [
    ...files.refused.map((path) => `${path} was not written: it is read-only.`),
    ...(strays.length > 0 ? [`Only /workspace is kept, so these are gone: ${strays.slice(0, 10).join(", ")}`] : []),
  ];
}

/** Whether just-bash itself saw that the time was over: no timer fires during a loop that never awaits. */
function hitDeadline({ exitCode, stderr }: ScriptEnd): boolean {
  return exitCode === TIME_OVER && /exceeded (?:its )?execution deadline/.test(stderr);
}

function stopReason(
  overMs: number | undefined,
  overrun: AbortSignal,
  { stdout, exitCode, stderr }: ScriptEnd,
): string | undefined {
  // just-bash discards the output of an aborted script.
  const silence = stdout === "" ? " What it had printed is lost; have it write to a file." : "";
  if (overrun.aborted) return `It was stopped. ${String(overrun.reason)}${silence}`;
  if (overMs !== undefined) return `It was stopped after ${overMs / 1000} s, which is its longest time.${silence}`;
  if (exitCode !== LIMIT_EXIT || !/limit|exceeded|too many/.test(stderr)) return undefined;
  return "It was stopped, because it went over a limit of this shell; the last line of stderr says which.";
}

function recordListing(mount: Mount, listed: StoredFile[]): Mount {
  return {
    at: mount.at,
    async list() {
      const files = await mount.list();
      listed.splice(0, listed.length, ...files.map(({ stored }) => stored));
      return files;
    },
  };
}

function readOnlyMounts(mounts: readonly ReadOnlyFiles[]): Mount[] {
  return mounts.map(readOnlyMount).filter(({ at }) => !isWithin(WORKSPACE, at));
}
