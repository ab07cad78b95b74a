import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { migrate, modulesIn } from "../fakes/worker-bundle.ts";

/**
 * The process that is killed: Isopod in a real workerd, over a state that outlives both. Arguments: the folder of bundle,
 * state and log, the port, and the variables as JSON. It prints `ready` once it takes requests.
 */

const CONFIG = join(import.meta.dirname, "wrangler.toml");

async function serve(folder: string, port: number, variables: Record<string, string>): Promise<void> {
  const bundle = join(folder, "bundle");
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG);
  const isNew = !existsSync(join(folder, "state"));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      cf: false,
      resourcePersistencePath: join(folder, "state"),
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ level, message }) =>
        void appendFile(join(folder, "worker.log"), `${new Date().toISOString()} ${level} ${message}\n`),
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
  await miniflare.ready;
  // Its databases are called synchronously: a workerd that logs much when it starts would wait for this process, which
  // would wait for it.
  if (isNew) {
    await migrate(miniflare, "DB", "migrations/d1");
    await migrate(miniflare, "MEMORY", "migrations/memory");
  }
  console.log("ready");
}

const [folder = "", port = "", variables = "{}"] = process.argv.slice(2);
await serve(folder, Number(port), JSON.parse(variables));
