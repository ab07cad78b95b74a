import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { Problem } from "./problem.ts";

const STOP_MS = 5_000;
/** As much of the output is remembered, in characters. */
const REMEMBERED = 20_000;

/** A wrangler that runs. */
export interface Wrangler {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  /** Resolves with the exit code when it has ended; undefined where a signal ended it. */
  readonly ended: Promise<number | undefined>;
  /** The end of what it wrote so far. */
  output(): string;
  /** Ends it with everything that it started. */
  stop(): Promise<void>;
}

/**
 * Starts wrangler with this very Node, in a process group of its own: a Ctrl-C reaches us alone, and nothing that
 * wrangler started outlives it.
 * @param onOutput is given what it writes, as it writes it
 */
export function runWrangler(root: string, args: readonly string[], onOutput?: (text: string) => void): Wrangler {
  const child = spawn(process.execPath, [wranglerScript(root), ...args], {
    cwd: root,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // wrangler's own build step says `node`, which has to be this one.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
    },
  });
  let remembered = "";
  const hear = (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    remembered = (remembered + text).slice(-REMEMBERED);
    onOutput?.(text);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });
  return {
    pid: child.pid,
    ended,
    output: () => remembered,
    async stop() {
      signal(child, "SIGINT");
      const timer = setTimeout(() => signal(child, "SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
      signal(child, "SIGKILL");
    },
  };
}

/** @throws Problem where the project's packages are not installed */
export function requirePackages(root: string): void {
  if (!existsSync(wranglerScript(root))) throw new Problem("The packages are not installed yet. Run: npm ci");
}

function wranglerScript(root: string): string {
  return join(root, "node_modules", "wrangler", "bin", "wrangler.js");
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(name);
    else process.kill(-child.pid, name);
  } catch (error) {
    // Nobody is left in the group.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
