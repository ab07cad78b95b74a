import { Bash } from "just-bash/browser";
import { isShellVariable } from "../config/reserved-names.ts";
import { deadline } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import type { Mask } from "../security/mask.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { bashCommands } from "./bash-command.ts";
import { boundedDiff } from "./bounded-diff.ts";
import { boundedPrograms } from "./bounded-input.ts";
import { changesOf } from "./changes.ts";
import { PROGRAMS, SHELL_COMMANDS } from "./commands.ts";
import { EXECUTION_LIMITS } from "./limits.ts";
import { type Mount, type ReadOnlyFiles, readOnlyMount, WORKSPACE, workspaceMount } from "./mounts.ts";
import { RunFiles } from "./run-files.ts";
import { RunMemory } from "./run-memory.ts";
import type { Shell, ShellResult, ShellRun } from "./shell.ts";
import { ShellRequests } from "./shell-requests.ts";
import { DECODERS, TEXT_VARIABLES } from "./text-variables.ts";
import { isWithin, normalPath, type StoredFile } from "./tree.ts";
import { takesTurns } from "./turn-taking.ts";
import { writeBack } from "./write-back.ts";
import { xargs } from "./xargs.ts";
import { yq } from "./yq.ts";

/** What a shell works on. */
export interface ShellDeps {
  workspace: Pick<Workspace, "walk" | "read" | "write" | "remove">;
  /** Read-only files beside the workspace. Those that are a part of it are left out. */
  mounts: readonly ReadOnlyFiles[];
  /** How scripts reach the outside. */
  fetch: SafeFetch;
  mask: Mask;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The variables of every script. Nothing replaces them but the script itself. */
const BASE_ENV: Readonly<Record<string, string>> = {
  HOME: WORKSPACE,
  PATH: "/usr/bin:/bin",
  LANG: "C.UTF-8",
  SHELL: "/bin/bash",
  TMPDIR: "/tmp",
  USER: "user",
};

/** How long a command that was told to stop is waited for, in milliseconds. */
const GRACE_MS = 1_000;
const TIME_OVER = 124;

/** A shell of just-bash over a workspace. Making one costs nothing. */
export function createShell(deps: ShellDeps): Shell {
  return { commands: SHELL_COMMANDS, run: (script, options) => runScript(script, options, deps) };
}

async function runScript(script: string, options: ShellRun, deps: ShellDeps): Promise<ShellResult> {
  const { signal, timeoutMs } = options;
  signal.throwIfAborted();
  const time = deadline(timeoutMs);
  const overrun = new AbortController();
  const memory = new RunMemory((why) => overrun.abort(why), deps.now);
  const began: StoredFile[] = [];
  const mounts = [remembering(workspaceMount(deps.workspace), began), ...outside(deps.mounts)];
  const files = new RunFiles(mounts, [...SHELL_COMMANDS, ...DECODERS.map(({ name }) => name)], memory, deps.now);
  const requests = new ShellRequests((url, init) => memory.idle(() => deps.fetch(url, init)));
  const ended = await settle(script, options, {
    files,
    memory,
    requests,
    signal: AbortSignal.any([signal, time.signal, overrun.signal]),
  });
  files.close();
  time.done();
  signal.throwIfAborted();
  const isOver = time.signal.aborted || sawItsTimeOver(ended);
  const stopped = whyStopped(isOver ? timeoutMs : undefined, overrun.signal, ended);
  const after = files.workspace();
  const changes = after === undefined ? undefined : changesOf(began, after, stopped !== undefined);
  const stored = changes && (await writeBack(changes, deps.workspace, deps.mask));
  const { mask } = deps.mask;
  return {
    stdout: mask(ended.stdout),
    stderr: mask(withoutAdvice(ended.stderr)),
    exitCode: isOver ? TIME_OVER : ended.exitCode,
    ...(stopped !== undefined && { stopped }),
    written: stored?.written ?? [],
    removed: stored?.removed ?? [],
    conflicts: [...(stored?.conflicts ?? []), ...lost(files)].map(mask),
    hosts: requests.hosts.map(mask),
  };
}

interface Ended {
  stdout: string;
  stderr: string;
  exitCode: number;
}

interface Surroundings {
  files: RunFiles;
  memory: RunMemory;
  requests: ShellRequests;
  signal: AbortSignal;
}

/** Runs the script to its end, or until it was told to stop and had a moment for it. Never rejects. */
async function settle(
  script: string,
  options: ShellRun,
  { files, memory, requests, signal }: Surroundings,
): Promise<Ended> {
  const cwd = normalPath(
    (options.cwd ?? "").startsWith("/") ? (options.cwd ?? "") : `${WORKSPACE}/${options.cwd ?? ""}`,
  );
  let gaveUp: ReturnType<typeof setTimeout> | undefined;
  try {
    if (cwd !== WORKSPACE && !(await isFolder(files, cwd))) {
      return { stdout: "", stderr: `bash: cd: ${options.cwd}: No such file or directory\n`, exitCode: 1 };
    }
    const given = Object.entries(options.env ?? {}).filter(([name]) => !isShellVariable(name));
    const bash = new Bash({
      fs: files,
      cwd,
      env: { ...Object.fromEntries(given), ...BASE_ENV },
      commands: [...PROGRAMS],
      executionLimits: { ...EXECUTION_LIMITS, maxExecutionTimeMs: options.timeoutMs },
      customCommands: [...bashCommands, boundedDiff, ...boundedPrograms, xargs, yq, ...DECODERS],
      fetch: requests.fetch,
      sleep: (ms) => memory.idle(() => sleep(ms, signal)),
      // It replaces globals of the whole isolate, in which others are at work.
      defenseInDepth: false,
    });
    bash.registerTransformPlugin(takesTurns);
    bash.registerTransformPlugin(TEXT_VARIABLES);
    const stdin = options.stdin === undefined ? {} : { stdin: options.stdin };
    const late = new Promise<Ended>((resolve) => {
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

/** Waits, though not longer than the run goes on. */
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

/** What just-bash advises its host to do. */
const LIMIT_ADVICE = /, increase executionLimits\.\w+/g;
const BUILD_ADVICE = /command not available in browser environments\. Exclude .*? Node\.js bundle\./g;
const LIMIT_EXIT = 126;

function withoutAdvice(stderr: string): string {
  return stderr.replace(LIMIT_ADVICE, "").replace(BUILD_ADVICE, "command not found");
}

/** Sentences about what was written where nothing stays. */
function lost(files: RunFiles): string[] {
  const strays = files.strays();
  return [
    ...files.refused.map((path) => `${path} was not written: it is read-only.`),
    ...(strays.length > 0 ? [`Only /workspace is kept, so these are gone: ${strays.slice(0, 10).join(", ")}`] : []),
  ];
}

/** A loop that never waits for anything lets no timer ring: just-bash looks at the clock itself then. */
function sawItsTimeOver({ exitCode, stderr }: Ended): boolean {
  return exitCode === TIME_OVER && /exceeded (?:its )?execution deadline/.test(stderr);
}

function whyStopped(
  overMs: number | undefined,
  overrun: AbortSignal,
  { stdout, exitCode, stderr }: Ended,
): string | undefined {
  // just-bash drops what was printed where it is told to stop.
  const silence = stdout === "" ? " What it had printed is lost; have it write to a file." : "";
  if (overrun.aborted) return `It was stopped. ${String(overrun.reason)}${silence}`;
  if (overMs !== undefined) return `It was stopped after ${overMs / 1000} s, which is its longest time.${silence}`;
  if (exitCode !== LIMIT_EXIT || !/limit|exceeded|too many/.test(stderr)) return undefined;
  return "It was stopped, because it went over a limit of this shell; the last line of stderr says which.";
}

function remembering(mount: Mount, began: StoredFile[]): Mount {
  return {
    at: mount.at,
    async list() {
      const files = await mount.list();
      began.splice(0, began.length, ...files.map(({ stored }) => stored));
      return files;
    },
  };
}

function outside(mounts: readonly ReadOnlyFiles[]): Mount[] {
  return mounts.map(readOnlyMount).filter(({ at }) => !isWithin(WORKSPACE, at));
}
