import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLocalD1 } from "../../src/cli/local-worker.ts";
import { migrate } from "../../src/cli/migrate.ts";
import { runWrangler } from "../fakes/wrangler.ts";

const WRANGLER_TOML = `
name = "isopod"
compatibility_date = "2026-10-01"
d1_databases = [
  { binding = "DB", database_name = "index", migrations_dir = "migrations/d1" },
  { binding = "MEMORY", database_name = "memory", migrations_dir = "migrations/memory" },
]
`;

let root: string;
let state: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "isopod-migrate-"));
  state = join(root, "state");
  for (const folder of ["state", "migrations/d1", "migrations/memory"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, "wrangler.toml"), WRANGLER_TOML);
  await writeMigration("memory/0000_notes.sql", "CREATE TABLE notes (text TEXT);");
  await writeMigration("d1/0000_runs.sql", "CREATE TABLE runs (id TEXT);\nINSERT INTO runs VALUES ('a; b');");
});
afterEach(() => rm(root, { recursive: true, force: true }));

// Each starts some processes of workerd, which takes seconds on a busy machine.
test("what a database has had is not applied again, and what is new is", { timeout: 120_000 }, async () => {
  await migrate(root, state);
  await writeMigration("d1/0001_names.sql", "ALTER TABLE runs ADD COLUMN name TEXT;");
  await migrate(root, state);
  expect(await select("SELECT id, name FROM runs")).toEqual([{ id: "a; b", name: null }]);
  expect(await select("SELECT name FROM d1_migrations")).toEqual([
    { name: "0000_runs.sql" },
    { name: "0001_names.sql" },
  ]);
});

test("a migration that fails is named and leaves nothing half done; once it is right, it is applied", {
  timeout: 120_000,
}, async () => {
  await writeMigration("d1/0001_names.sql", "ALTER TABLE runs ADD COLUMN name TEXT;\nDROP TABLE nowhere;");
  await expect(migrate(root, state)).rejects.toThrow(
    /^The migration 0001_names\.sql of DB could not be applied: .*nowhere/,
  );
  await writeMigration("d1/0001_names.sql", "ALTER TABLE runs ADD COLUMN name TEXT;");
  await migrate(root, state);
  expect(await select("SELECT id, name FROM runs")).toEqual([{ id: "a; b", name: null }]);
});

test("a database that wrangler has migrated goes on as it is", { timeout: 120_000 }, async () => {
  const places = ["--config", join(root, "wrangler.toml"), "--persist-to", state];
  const wrangler = runWrangler(process.cwd(), ["d1", "migrations", "apply", "DB", "--local", ...places]);
  expect(await wrangler.ended).toBe(0);
  expect(await select("SELECT id FROM runs")).toEqual([{ id: "a; b" }]);
  await migrate(root, state);
  expect(await select("SELECT id FROM runs")).toEqual([{ id: "a; b" }]);
});

function writeMigration(path: string, sql: string): Promise<void> {
  return writeFile(join(root, "migrations", path), sql);
}

function select(query: string): Promise<unknown[]> {
  return withLocalD1(
    root,
    state,
    async (openDatabase) => (await (await openDatabase("DB")).prepare(query).all()).results,
  );
}
