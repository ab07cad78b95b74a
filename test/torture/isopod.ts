import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePortAbove } from "../../src/cli/port.ts";
import { bundleWorker } from "../fakes/worker-bundle.ts";

const SERVER = join(import.meta.dirname, "isopod-server.ts");
const START_WITHIN_MS = 60_000;
const FIRST_PORT = 24_000;

/** A death and what came after it, in milliseconds since the epoch. */
export interface Restart {
  killedAt: number;
  /** When the next process took requests. */
  readyAt: number;
}

/** Isopod as a process group of its own: what starts workerd dies with it, as when a machine goes down. */
export class Isopod {
  readonly url: string;
  readonly #begin: () => Promise<ChildProcess>;
  #process: ChildProcess;

  private constructor(url: string, begin: () => Promise<ChildProcess>, first: ChildProcess) {
    this.url = url;
    this.#begin = begin;
    this.#process = first;
  }

  /** Bundles the Worker and starts it, with its state and its logs in `folder`. */
  static async start(folder: string, variables: Record<string, string>): Promise<Isopod> {
    await bundleWorker(join(folder, "bundle"), { config: join(import.meta.dirname, "wrangler.toml") });
    const port = await freePortAbove(FIRST_PORT + (process.pid % 4000));
    const begin = () => startServer([folder, String(port), JSON.stringify(variables)]);
    return new Isopod(`http://127.0.0.1:${port}`, begin, await begin());
  }

  /** Kills the whole process group with SIGKILL, starts another, and waits until it takes requests. */
  async kill(onDeath: () => void): Promise<Restart> {
    const killedAt = Date.now();
    await end(this.#process, "SIGKILL");
    onDeath();
    await untilFree(new URL(this.url));
    this.#process = await this.#begin();
    return { killedAt, readyAt: Date.now() };
  }

  async stop(): Promise<void> {
    await end(this.#process, "SIGKILL");
  }
}

/** Waits until nobody listens there: workerd outlives the process that started it by a moment. */
async function untilFree({ hostname, port }: URL): Promise<void> {
  const isTaken = () =>
    new Promise<boolean>((tell) => {
      const socket = connect(Number(port), hostname);
      socket.once("connect", () => {
        socket.destroy();
        tell(true);
      });
      socket.once("error", () => tell(false));
    });
  while (await isTaken()) await sleep(20);
}

async function startServer(args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SERVER, ...args], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const ready = new Promise<void>((tell, fail) => {
    const timer = setTimeout(() => {
      // What its processes were doing says whether it waits or works.
      const shown = spawnSync("ps", [
        "-o",
        "pid,pgid,stat,time,wchan:20,args",
        "--cols",
        "150",
        "-g",
        String(child.pid),
      ]);
      fail(new Error(`Isopod does not start.\n${said}\n${shown.stdout}`));
    }, START_WITHIN_MS);
    child.stdout?.on("data", (chunk) => {
      if (!String(chunk).includes("ready")) return;
      clearTimeout(timer);
      tell();
    });
    child.once("exit", (code) => fail(new Error(`Isopod ended with ${code} before it was ready.\n${said}`)));
  });
  try {
    await ready;
  } catch (error) {
    await end(child, "SIGKILL");
    throw error;
  }
  return child;
}

/** Ends a process group. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  process.kill(-child.pid, signal);
  await gone;
}
