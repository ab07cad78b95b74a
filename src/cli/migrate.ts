import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Problem } from "./problem.ts";

/** The D1 databases by binding, each with the folder of its migrations. */
const DATABASES = { DB: "d1", MEMORY: "memory" };

type Binding = keyof typeof DATABASES;

const BINDINGS = Object.keys(DATABASES) as Binding[];

/** The table of applied migrations, as `wrangler d1 migrations` makes it. */
const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

interface Migration {
  binding: Binding;
  /** The name of its file. */
  name: string;
  sql: string;
}

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
  const migrations = await readMigrations(root);
  const digest = await migrationsDigest(root, migrations);
  const stamp = join(stateFolder, "d1-migrations.sha256");
  const [before, ...files] = existsSync(stamp) ? (await readFile(stamp, "utf8")).split("\n") : [];
  const areLost = files.some((file) => !existsSync(join(stateFolder, file)));
  if (before === digest && files.length > 0 && !areLost) return undefined;
  try {
    await apply(root, stateFolder, migrations);
  } catch (error) {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw new Problem(`The migrations could not be applied: ${error.message}`);
  }
  await writeFile(stamp, [digest, ...(await databaseFiles(stateFolder))].join("\n"));
  return areLost ? MADE_ANEW : undefined;
}

/**
 * Applies the pending migrations of both databases in one workerd; `wrangler d1 migrations apply` starts one for each.
 * @throws Problem that names the migration that failed
 */
async function apply(root: string, stateFolder: string, migrations: readonly Migration[]): Promise<void> {
  // Not before the packages are known to be there.
  const [{ unstable_splitSqlQuery: split }, { withLocalD1 }] = await Promise.all([
    import("wrangler"),
    import("./local-worker.ts"),
  ]);
  await withLocalD1(root, stateFolder, async (openDatabase) => {
    for (const binding of BINDINGS) {
      const db = await openDatabase(binding);
      await db.prepare(MIGRATIONS_TABLE).run();
      const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
      const applied = new Set(results.map(({ name }) => name));
      const pending = migrations.filter((migration) => migration.binding === binding && !applied.has(migration.name));
      for (const { name, sql } of pending) {
        const markApplied = db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
        await db.batch([...split(sql).map((query) => db.prepare(query)), markApplied]).catch((error: Error) => {
          throw new Problem(`The migration ${name} of ${binding} could not be applied: ${error.message}`);
        });
      }
    }
  });
}

/** The files of the local D1 databases, relative to the state folder. */
async function databaseFiles(stateFolder: string): Promise<string[]> {
  const entries = await readdir(join(stateFolder, "v3", "d1"), { recursive: true, withFileTypes: true });
  return entries
    .filter(({ name }) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .map(({ parentPath, name }) => relative(stateFolder, join(parentPath, name)))
    .sort();
}

async function readMigrations(root: string): Promise<Migration[]> {
  const perDatabase = BINDINGS.map(async (binding) => {
    const folder = join(root, "migrations", DATABASES[binding]);
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
    return Promise.all(names.map(async (name) => ({ binding, name, sql: await readFile(join(folder, name), "utf8") })));
  });
  return (await Promise.all(perDatabase)).flat();
}

async function migrationsDigest(root: string, migrations: readonly Migration[]): Promise<string> {
  const hash = createHash("sha256").update(await readFile(join(root, "wrangler.toml")));
  for (const { binding, name, sql } of migrations) hash.update(`${DATABASES[binding]}/${name}\n`).update(sql);
  return hash.digest("hex");
}
