import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

const STOP_MS = 5_000;
/** How many characters of the output are kept. */
const KEPT_CHARS = 20_000;

/** A running wrangler. */
export interface Wrangler {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  /** Resolves with the exit code when it has ended; undefined where a signal ended it. */
  readonly ended: Promise<number | undefined>;
  /** The last part of its output. */
  output(): string;
  /** Stops it and every process that it started. */
  stop(): Promise<void>;
}

/**
 * Starts wrangler with the current Node in its own process group: Ctrl-C reaches only this process, and no process that
 * wrangler started outlives wrangler.
 * @param onOutput called with its output as it is written
 */
export function runWrangler(root: string, args: readonly string[], onOutput?: (text: string) => void): Wrangler {
  const child = spawn(process.execPath, [wranglerScript(root), ...args], {
    cwd: root,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // wrangler's build step runs `node`, which must be the current one.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      // Both keep or show everything that is stored, without a token.
      X_LOCAL_EXPLORER: "false",
      X_LOCAL_OBSERVABILITY: "false",
    },
  });
  let kept = "";
  const onData = (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    kept = (kept + text).slice(-KEPT_CHARS);
    onOutput?.(text);
  };
  child.stdout.on("data", onData);
  child.stderr.on("data", onData);
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });
  return {
    pid: child.pid,
    ended,
    output: () => kept,
    async stop() {
      signal(child, "SIGINT");
      const timer = setTimeout(() => signal(child, "SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
      signal(child, "SIGKILL");
    },
  };
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
    // The group has no process left.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
