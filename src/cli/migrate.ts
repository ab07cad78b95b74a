import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Problem } from "./problem.ts";
import { runWrangler } from "./wrangler.ts";

/** The D1 databases by binding, each with the folder of its migrations. */
const DATABASES = { DB: "d1", MEMORY: "memory" };

/** What was lost with the local databases, and what is left. */
const MADE_ANEW = `The local databases were gone and are made anew. Sessions, workspaces and skills are still there.
What only the databases had is gone: a stored configuration, tokens, and the lists of sessions and runs.
npm run memory -- index --force fills the search index again.`;

/**
 * Applies the migrations to the local D1 databases. Starts nothing when the migrations are the same as last time, and
 * so is wrangler.toml, whose `database_id` also names the local database, and the databases are there.
 * @returns what to tell, if they were lost since the last time
 */
export async function migrate(root: string, stateFolder: string): Promise<string | undefined> {
  const digest = await migrationsDigest(root);
  const stamp = join(stateFolder, "d1-migrations.sha256");
  const [before, ...files] = existsSync(stamp) ? (await readFile(stamp, "utf8")).split("\n") : [];
  const areLost = files.some((file) => !existsSync(join(stateFolder, file)));
  if (before === digest && files.length > 0 && !areLost) return undefined;
  for (const binding of Object.keys(DATABASES)) {
    const wrangler = runWrangler(root, ["d1", "migrations", "apply", binding, "--local", "--persist-to", stateFolder]);
    if ((await wrangler.ended) !== 0) throw new Problem(`${wrangler.output()}\nThe migrations could not be applied.`);
  }
  await mkdir(stateFolder, { recursive: true });
  await writeFile(stamp, [digest, ...(await databaseFiles(stateFolder))].join("\n"));
  return areLost ? MADE_ANEW : undefined;
}

/** The files of the local D1 databases, relative to the state folder. */
async function databaseFiles(stateFolder: string): Promise<string[]> {
  const entries = await readdir(join(stateFolder, "v3", "d1"), { recursive: true, withFileTypes: true });
  return entries
    .filter(({ name }) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .map(({ parentPath, name }) => relative(stateFolder, join(parentPath, name)))
    .sort();
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
