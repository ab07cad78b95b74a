import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteAsyncDialect();

/**
 * Runs statements in one transaction, and gives the rows of each; drizzle's own `batch` takes none of its `sql`.
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
