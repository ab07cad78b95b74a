import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runWrangler, type Wrangler } from "../fakes/wrangler.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const POLL_MS = 20;
const START_MS = 60_000;
const STOP_MS = 8_000;

/** The token of the Isopod that is measured; it lives as long as the temporary folder. */
export const TOKEN = "bench";

/** A configuration with the fake provider as the only model. */
export function modelConfig(modelServer: string): object {
  const provider = { baseUrl: `${modelServer}/v1`, api: "openai-completions" };
  return { agents: { defaults: { model: "bench/default" } }, models: { providers: { bench: provider } } };
}

/** A server that runs on loopback. */
export interface Running {
  url: string;
  pid: number | undefined;
  /** What it said, if it has ended by itself. */
  failure(): string | undefined;
  stop(): Promise<void>;
}

/** Where everything that a measurement needs is started, in a temporary folder, and ended again. */
export class Stage {
  readonly #folder: string;
  readonly #running = new Set<() => Promise<void>>();
  #closed = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Stage> {
    return new Stage(await mkdtemp(join(tmpdir(), "isopod-bench-")));
  }

  /** Ends everything when somebody asks us to end. Gives whether that has happened. */
  closeOnSignal(): () => boolean {
    let closed = false;
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => {
        closed = true;
        void this.close();
      });
    }
    return () => closed;
  }

  /** Ends everything and removes the folder; nothing can be started any more. May be called at any time, and again. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((stop) => stop()));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** The model server, in a process of its own so that it does not share an event loop with whoever measures. */
  async modelServer(): Promise<Running> {
    const child = this.#spawn(["test/fakes/model-server.ts"]);
    const url = await firstLine(child);
    return { url, ...this.#process(child) };
  }

  /** Isopod as `npm start` starts it; the second time over what the first one left. Not waited for. */
  async isopod(config: object, secrets: Record<string, string> = {}, options: string[] = []): Promise<Running> {
    const port = await freePort();
    const vars = await this.#variables("isopod", config, secrets);
    const child = this.#spawn([
      ...["src/cli/start.ts", "--port", String(port)],
      ...["--persist-to", join(this.#folder, "isopod"), "--vars", vars, ...options],
    ]);
    return { url: `http://127.0.0.1:${port}`, ...this.#process(child) };
  }

  /** The Worker of both floors. Not waited for. */
  floors(modelServer: string): Promise<Running> {
    const model = `MODEL_URL:${modelServer}/v1/chat/completions`;
    return this.#worker("floor", ["--config", "test/bench/floor/wrangler.toml", "--var", model]);
  }

  /** Isopod with bindings that count, over what the measured one left. Not waited for. */
  counting(): Promise<Running> {
    return this.#worker("isopod", ["test/bench/counting.ts", "--env-file", join(this.#folder, "isopod.vars")]);
  }

  /** Isopod with another main file, over a state of its own, which the next one with the same name finds again. Not waited for. */
  async isopodWorker(main: string, config: object, state: string): Promise<Running> {
    const vars = await this.#variables(state, config);
    for (const database of ["DB", "MEMORY"]) {
      await this.wrangler("d1", "migrations", "apply", database, "--local", "--persist-to", this.path(state));
    }
    return this.#worker(state, [main, "--env-file", vars, "--var", "ISOPOD_HOST:workerd"]);
  }

  /** Runs wrangler to its end and gives what it said. */
  async wrangler(...args: string[]): Promise<string> {
    const wrangler = this.#runWrangler(args);
    this.#running.add(wrangler.stop);
    const code = await wrangler.ended;
    this.#running.delete(wrangler.stop);
    if (code !== 0) throw new Error(`wrangler ${args.join(" ")}\n${wrangler.output()}`);
    return wrangler.output();
  }

  /** Waits until a server answers a request at all. */
  async reachable({ url, failure }: Running): Promise<void> {
    for (const deadline = Date.now() + START_MS; ; await sleep(POLL_MS)) {
      const answered = await fetch(`${url}/healthz`).then(
        (response) => response.arrayBuffer().then(() => true),
        () => false,
      );
      if (answered) return;
      this.#requireOpen();
      const said = failure();
      if (said !== undefined) throw new Error(`${url} did not start:\n${said}`);
      if (Date.now() > deadline) throw new Error(`${url} does not answer.`);
    }
  }

  /** A path in the temporary folder. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  async #variables(name: string, config: object, secrets: Record<string, string> = {}): Promise<string> {
    const path = this.path(`${name}.vars`);
    const lines = Object.entries({ ...secrets, ISOPOD_TOKEN: TOKEN }).map(([key, value]) => `${key}=${value}\n`);
    await writeFile(path, `${lines.join("")}ISOPOD_CONFIG='${JSON.stringify(config)}'\n`);
    return path;
  }

  async #worker(state: string, args: string[]): Promise<Running> {
    const port = await freePort();
    const wrangler = this.#runWrangler([
      ...["dev", ...args, "--local", "--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"],
      ...["--persist-to", join(this.#folder, state), "--show-interactive-dev-session=false", "--log-level", "error"],
    ]);
    const stop = () => {
      this.#running.delete(stop);
      return wrangler.stop();
    };
    this.#running.add(stop);
    let ended = false;
    void wrangler.ended.then(() => {
      ended = true;
    });
    const failure = () => (ended ? wrangler.output() : undefined);
    return { url: `http://127.0.0.1:${port}`, pid: wrangler.pid, failure, stop };
  }

  #runWrangler(args: string[]): Wrangler {
    this.#requireOpen();
    return runWrangler(ROOT, args);
  }

  #spawn(args: string[]): ChildProcess {
    this.#requireOpen();
    const clean = { ...process.env, ISOPOD_TOKEN: undefined, ISOPOD_URL: undefined, PORT: undefined };
    return spawn(process.execPath, args, { cwd: ROOT, env: clean, stdio: ["ignore", "pipe", "inherit"] });
  }

  #requireOpen(): void {
    if (this.#closed) throw new Error("The stage is closed.");
  }

  #process(child: ChildProcess): Omit<Running, "url"> {
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    child.stdout?.resume();
    const stop = async () => {
      this.#running.delete(stop);
      child.kill("SIGINT");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
    };
    this.#running.add(stop);
    const failure = () => (child.exitCode === null ? undefined : `It ended with ${child.exitCode}; see above.`);
    return { pid: child.pid, failure, stop };
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8").trim()));
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`The model server ended with ${code}.`)));
  });
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("There is no free port."));
        else resolve(address.port);
      });
    });
  });
}
