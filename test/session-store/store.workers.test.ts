import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import migrations from "../../migrations/session/migrations.js";
import { openStore, updateTables } from "../../src/session-store/store.ts";

/** Tables with their columns, and indexes, in the order of their names. */
function catalogue({ sql }: DurableObjectStorage) {
  const named = sql
    .exec<{ type: string; name: string }>(
      "SELECT type, name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    .toArray();
  return named
    .filter(({ name }) => !name.startsWith("sqlite_") && name !== "__drizzle_migrations")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ type, name }) => {
      if (type === "index") return { type, name };
      const columns = sql.exec('SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY name', name);
      return { type, name, columns: columns.toArray() };
    });
}

/** Runs a piece of work in a fresh object's storage. */
function inObject<Result>(name: string, work: (state: DurableObjectState) => Result) {
  return runInDurableObject(env.SESSIONS.getByName(`store-${name}`), (_, state) => work(state));
}

test("a new session's database has what all migrations together make, in a fifth of the rows", async () => {
  const migrated = await inObject("migrated", (state) => {
    let rows = 0;
    for (const { idx } of migrations.journal.entries) {
      const text = migrations.migrations[`m${String(idx).padStart(4, "0")}`] ?? "";
      for (const statement of text.split("--> statement-breakpoint")) {
        const cursor = state.storage.sql.exec(statement);
        cursor.toArray();
        rows += cursor.rowsWritten;
      }
    }
    return { rows, made: catalogue(state.storage) };
  });
  const whole = await inObject("whole", (state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    let rows = 0;
    Object.assign(sql, {
      exec: (...args: Parameters<typeof exec>) => {
        const cursor = exec(...args);
        rows += cursor.rowsWritten;
        return cursor;
      },
    });
    updateTables(state, openStore(state));
    return { rows, made: catalogue(state.storage) };
  });
  expect(whole.made).toEqual(migrated.made);
  expect(whole.made.length).toBeGreaterThan(15);
  expect(whole.rows * 5).toBeLessThan(migrated.rows);
});

test("a database that is made whole is not migrated again", async () => {
  await inObject("again", (state) => {
    const store = openStore(state);
    updateTables(state, store);
    updateTables(state, store);
    const rows = state.storage.sql.exec("SELECT count(*) AS n FROM __drizzle_migrations").one();
    expect(rows).toEqual({ n: 1 });
  });
});
