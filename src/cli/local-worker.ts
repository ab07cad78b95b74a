import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from "miniflare";
import { bundle } from "./bundle.ts";
import { closeEntry } from "./private-entry.ts";

/** Names the local storage of Durable Objects. */
const NAME = "isopod";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type V4WorkerOptions = Extract<V4MiniflareOptions, { workers: unknown }>["workers"][number];

type LocalD1 = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** How Isopod is started on this machine. */
export interface LocalWorkerDeps {
  root: string;
  port: number;
  stateFolder: string;
  variablesFile: string;
  /** Whether everything that the Worker logs is shown, or errors alone. */
  verbose: boolean;
  /** Is given what there is to show. */
  onOutput(text: string): void;
}

/** The Worker, running in workerd. */
export interface LocalWorker {
  stop(): Promise<void>;
}

/**
 * Runs the Worker of wrangler.toml in workerd. Only the port is open, and only the front Worker answers there:
 * Miniflare's entry, with its tools for developers, is behind a private socket, and the inspector is off.
 */
export async function startLocalWorker(deps: LocalWorkerDeps): Promise<LocalWorker> {
  const { main, compatibilityDate, bindings, workerOptions } = await readConfiguration(deps);
  const { modulesRules: _, ...options } = workerOptions;
  const { isopod, front } = await bundle(deps.root, main);
  const entry = await closeEntry(deps.stateFolder);
  const workers: V4WorkerOptions[] = [
    {
      name: `${NAME}-front`,
      compatibilityDate,
      compatibilityFlags: ["service_binding_extra_handlers"],
      modules: true,
      script: front,
      serviceBindings: { ISOPOD: NAME },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: deps.port }],
    },
    {
      ...options,
      name: NAME,
      modules: isopod.map(({ path, text }) => ({ type: "ESModule", path, contents: text })),
      rootPath: deps.root,
      bindings: { ...bindings, ISOPOD_HOST: "workerd" },
    },
  ];
  const takeSignalsBack = rememberSignals();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      logRequests: false,
      resourcePersistencePath: persistencePath(deps.stateFolder),
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs({ level, message }) {
        if (deps.verbose || level === "error") deps.onOutput(`${message}\n`);
      },
      workers,
    }),
  );
  takeSignalsBack();
  const stop = async () => {
    try {
      await miniflare.dispose();
    } finally {
      await entry.remove();
    }
  };
  try {
    await miniflare.ready;
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** Runs `use` with the local D1 databases open and no Worker of ours. */
export async function withLocalD1<T>(
  root: string,
  stateFolder: string,
  use: (openDatabase: (binding: string) => Promise<LocalD1>) => Promise<T>,
): Promise<T> {
  const { d1Databases } = (await readWorkerOptions(root)).workerOptions as Pick<V4WorkerOptions, "d1Databases">;
  // A signal ends the process here: Miniflare's handlers end workerd first.
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      log: new Log(LogLevel.ERROR),
      resourcePersistencePath: persistencePath(stateFolder),
      workers: [{ name: NAME, modules: true, script: "", ...(d1Databases && { d1Databases }) }],
    }),
  );
  try {
    return await use((binding) => miniflare.getD1Database(binding));
  } finally {
    await miniflare.dispose();
  }
}

function persistencePath(stateFolder: string): string {
  return join(resolve(stateFolder), "v3");
}

/** Miniflare ends the process at a signal at once. The start command does that itself, when everything has stopped. */
function rememberSignals(): () => void {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  return () => {
    for (const [signal, listeners] of before) {
      const added = process.listeners(signal).filter((listener) => !listeners.includes(listener));
      for (const listener of added) process.off(signal, listener);
    }
  };
}

/** Reads wrangler.toml and the file of variables, which here takes the place of .dev.vars. */
async function readConfiguration({ root, variablesFile }: LocalWorkerDeps) {
  const { config, workerOptions } = await readWorkerOptions(root);
  const { unstable_getVarsForDev } = await import("wrangler");
  const { main, compatibility_date: compatibilityDate, configPath } = config;
  if (main === undefined || compatibilityDate === undefined) throw new Error("wrangler.toml has no main or no date.");
  const variables = unstable_getVarsForDev(configPath, [resolve(variablesFile)], config.vars, undefined, true);
  const bindings = Object.fromEntries(Object.entries(variables).map(([name, { value }]) => [name, value]));
  return { main, compatibilityDate, bindings, workerOptions };
}

/** Reads wrangler.toml and converts it to Miniflare's options. */
async function readWorkerOptions(root: string) {
  // It warns of bindings that cost something when they run remotely, which is never done here.
  process.env.WRANGLER_LOG = "error";
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");
  const config = unstable_readConfig({ config: join(root, "wrangler.toml") });
  return { config, workerOptions: unstable_getMiniflareWorkerOptions(config).workerOptions };
}
