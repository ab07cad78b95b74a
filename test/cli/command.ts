import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const running = new Set<Command>();

/** Ends what a test that failed has left running. */
export async function endCommands(): Promise<void> {
  for (const command of running) command.signal("SIGTERM");
  await Promise.all([...running].map((command) => command.ended));
}

/** A command that runs, and everything that it has said. */
export class Command {
  out = "";
  err = "";
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    running.add(this);
    child.stdout?.on("data", (chunk) => {
      this.out += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      this.err += chunk;
    });
    this.ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal ?? 1)));
    this.ended.then(() => running.delete(this));
  }

  /** Runs one of the command line's programs with this Node; `env` replaces the environment's own variables. */
  static run(
    program: "start" | "chat" | "prompt" | "doctor" | "import" | "skills" | "memory" | "channels",
    args: string[],
    env: NodeJS.Dict<string> = {},
    root = ROOT,
  ): Command {
    const clean = { ...process.env, ISOPOD_TOKEN: undefined, ISOPOD_URL: undefined, PORT: undefined, ...env };
    const script = `${root}/src/cli/${program}.ts`;
    // In a process group of its own, so that it can be killed with all that it has started.
    return new Command(spawn(process.execPath, [script, ...args], { cwd: root, env: clean, detached: true }));
  }

  /** Runs a line in a shell, as if it had been pasted. */
  static paste(line: string): Command {
    return new Command(spawn("sh", ["-c", line]));
  }

  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills it and all that it has started, as a power failure does. */
  async kill(): Promise<void> {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await this.ended;
  }

  /** Waits until something was said. */
  async says(text: string | RegExp, withinMs = 60_000): Promise<void> {
    for (const deadline = Date.now() + withinMs; ; await sleep(20)) {
      const all = this.out + this.err;
      if (typeof text === "string" ? all.includes(text) : text.test(all)) return;
      if (Date.now() > deadline) throw new Error(`It never said ${text}. It said:\n${all}`);
    }
  }
}
