import { readdirSync, readFileSync } from "node:fs";
import { appendFile, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { runWrangler } from "../../src/cli/wrangler.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CONFIG = join(ROOT, "test/torture/wrangler.toml");
const RESTART_WITHIN_MS = 30_000;

/** A death and what came after it, in milliseconds since the epoch. */
export interface Restart {
  killedAt: number;
  /** When the next process took requests. */
  readyAt: number;
}

/** Isopod in a real workerd, over a state that outlives it: what `wrangler dev` starts, without wrangler around it. */
export class Isopod {
  readonly #miniflare: Miniflare;
  readonly url: string;
  readonly #restarted: { tell: () => void };

  private constructor(miniflare: Miniflare, url: string, restarted: { tell: () => void }) {
    this.#miniflare = miniflare;
    this.url = url;
    this.#restarted = restarted;
  }

  /** Bundles the Worker and starts it, with its state and its logs in `folder`. */
  static async start(folder: string, variables: Record<string, string>): Promise<Isopod> {
    const bundle = join(folder, "bundle");
    await bundleInto(bundle);
    const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG);
    const restarted = { tell: () => {} };
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port: 0,
        cf: false,
        resourcePersistencePath: join(folder, "state"),
        log: new Log(LogLevel.ERROR),
        handleStructuredLogs: ({ level, message }) =>
          void appendFile(join(folder, "worker.log"), `${new Date().toISOString()} ${level} ${message}\n`),
        // workerd is started again by Miniflare itself, with the same ports and the same state.
        unsafeHandleRuntimeRestart: () => restarted.tell(),
        workers: [
          {
            ...workerOptions,
            name: "isopod-torture",
            modulesRoot: bundle,
            modules: await modulesIn(bundle),
            bindings: variables,
          },
        ],
      }),
    );
    const url = (await miniflare.ready).origin;
    await migrate(miniflare, "DB", "migrations/d1");
    await migrate(miniflare, "MEMORY", "migrations/memory");
    return new Isopod(miniflare, url, restarted);
  }

  /** Kills workerd with SIGKILL and waits until the next one takes requests. */
  async kill(): Promise<Restart> {
    const back = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("workerd did not come back.")), RESTART_WITHIN_MS);
      this.#restarted.tell = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const killedAt = Date.now();
    for (const pid of workerdsOf(process.pid)) process.kill(pid, "SIGKILL");
    await back;
    return { killedAt, readyAt: Date.now() };
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }
}

async function bundleInto(folder: string): Promise<void> {
  const wrangler = runWrangler(ROOT, ["deploy", "--dry-run", "--config", CONFIG, "--outdir", folder]);
  if ((await wrangler.ended) !== 0) throw new Error(`The Worker cannot be bundled.\n${wrangler.output()}`);
}

async function modulesIn(folder: string) {
  const names = await readdir(folder);
  const texts = names.filter((name) => /\.(md|sh|sql)$/.test(name) && name !== "README.md");
  return [
    { type: "ESModule" as const, path: join(folder, "worker.js") },
    ...texts.map((name) => ({ type: "Text" as const, path: join(folder, name) })),
  ];
}

async function migrate(miniflare: Miniflare, binding: string, migrations: string): Promise<void> {
  const database = await miniflare.getD1Database(binding);
  const folder = join(ROOT, migrations);
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()) {
    const statements = (await readFile(join(folder, name), "utf8")).split("--> statement-breakpoint");
    await database.batch(statements.map((statement) => database.prepare(statement)));
  }
}

/** The workerd processes that a process started, as Linux tells it. */
function workerdsOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const [, name, parentPid] = /^\d+ \((.*)\) \S (\d+)/.exec(statOf(pid)) ?? [];
      return name === "workerd" && Number(parentPid) === parent;
    })
    .map(Number);
}

/** Empty for a process that is gone by now. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return "";
    throw error;
  }
}
