import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Miniflare } from "miniflare";
import { runWrangler } from "./wrangler.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/**
 * Bundles a Worker into a folder, as wrangler would deploy it.
 * @param main another main file than the configuration's
 * @throws Error with what wrangler said
 */
export async function bundleWorker(folder: string, { config, main }: { config: string; main?: string }): Promise<void> {
  const wrangler = runWrangler(ROOT, [
    ...["deploy", ...(main === undefined ? [] : [main])],
    ...["--dry-run", "--config", config, "--outdir", folder],
  ]);
  if ((await wrangler.ended) !== 0) throw new Error(`The Worker cannot be bundled.\n${wrangler.output()}`);
}

/** The modules of a bundle, for miniflare. Its main file is `worker.ts`. */
export async function modulesIn(folder: string) {
  const names = await readdir(folder);
  const scripts = names.filter((name) => name.endsWith(".js") && name !== "worker.js");
  const texts = names.filter((name) => /\.(md|sh|sql)$/.test(name) && name !== "README.md");
  return [
    { type: "ESModule" as const, path: join(folder, "worker.js") },
    ...scripts.map((name) => ({ type: "ESModule" as const, path: join(folder, name) })),
    ...texts.map((name) => ({ type: "Text" as const, path: join(folder, name) })),
  ];
}

/** Applies all migrations to a new database. @param migrations their folder, from the project's */
export async function migrate(miniflare: Miniflare, binding: string, migrations: string): Promise<void> {
  const database = await miniflare.getD1Database(binding);
  const folder = join(ROOT, migrations);
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()) {
    const statements = (await readFile(join(folder, name), "utf8")).split("--> statement-breakpoint");
    await database.batch(statements.map((statement) => database.prepare(statement)));
  }
}
