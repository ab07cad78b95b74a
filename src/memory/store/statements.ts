import { type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteAsyncDialect();

/**
 * Runs statements in one transaction and returns the rows of each. drizzle's own `batch` does not accept `sql`
 * templates.
 * @throws what D1 throws; nothing is changed then
 */
export async function runAll(
  database: D1Database,
  statements: readonly SQL[],
): Promise<D1Result<Record<string, unknown>>[]> {
  if (statements.length === 0) return [];
  return database.batch(
    statements.map((statement) => {
      const { sql, params } = dialect.sqlToQuery(statement);
      return database.prepare(sql).bind(...params);
    }),
  );
}

/** SQLite's message when a guard fails; no other statement inserts a memory without an agent. */
const GUARD_FAILED = "NOT NULL constraint failed: meta.agent_id";

/** A statement that fails its whole batch unless a condition holds. D1 has no other way to abort a transaction. */
export function guard(condition: SQL): SQL {
  return sql`INSERT INTO meta (agent_id) SELECT NULL WHERE NOT (${condition})`;
}

/**
 * Awaits a batch with guards. Returns false if one of them failed, and nothing is changed then. @throws what D1 throws
 */
export async function unlessGuardFails(batch: Promise<unknown>): Promise<boolean> {
  try {
    await batch;
    return true;
  } catch (thrown) {
    for (let error = thrown; error instanceof Error; error = error.cause) {
      if (error.message.includes(GUARD_FAILED)) return false;
    }
    throw thrown;
  }
}

/** `column IN (…)` for any number of values in one parameter; a D1 statement takes at most 100 parameters. */
export function isIn(column: AnySQLiteColumn, values: readonly number[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
}
