import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "./problem.ts";
import { runWrangler } from "./wrangler.ts";

/** The D1 databases by binding, each with the folder of its migrations. */
const DATABASES = { DB: "d1", MEMORY: "memory" };

/**
 * Applies the migrations to the local D1 databases. Starts nothing when the migrations are the same as last time, and
 * so is wrangler.toml, whose `database_id` also names the local database.
 */
export async function migrate(root: string, stateFolder: string): Promise<void> {
  const digest = await migrationsDigest(root);
  const stamp = join(stateFolder, "d1-migrations.sha256");
  const isDone = existsSync(join(stateFolder, "v3", "d1")) && existsSync(stamp);
  if (isDone && (await readFile(stamp, "utf8")) === digest) return;
  for (const binding of Object.keys(DATABASES)) {
    const wrangler = runWrangler(root, ["d1", "migrations", "apply", binding, "--local", "--persist-to", stateFolder]);
    if ((await wrangler.ended) !== 0) throw new Problem(`${wrangler.output()}\nThe migrations could not be applied.`);
  }
  await mkdir(stateFolder, { recursive: true });
  await writeFile(stamp, digest);
}

async function migrationsDigest(root: string): Promise<string> {
  const hash = createHash("sha256").update(await readFile(join(root, "wrangler.toml")));
  for (const database of Object.values(DATABASES)) {
    const folder = join(root, "migrations", database);
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
    for (const name of names) hash.update(`${database}/${name}\n`).update(await readFile(join(folder, name)));
  }
  return hash.digest("hex");
}
