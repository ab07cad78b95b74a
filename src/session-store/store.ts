import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import migrations from "../../migrations/session/migrations.js";
import { outdate } from "./cached-reads.ts";
import { refuseLargeRow } from "./row-limit.ts";

/** The session's own database: synchronous, and everything written in one go is one commit. */
export type Store = DrizzleSqliteDODatabase;

/**
 * Opens the database of an object, its tables brought up to date; a migration that fails resets the object. Where there
 * are no tables yet none are made, so that a look at a session that is not there leaves nothing behind.
 */
export function openStore(ctx: DurableObjectState): Store {
  // Drizzle tells its logger what it is about to run: the one place that every row passes.
  const logQuery = (query: string, parameters: unknown[]) => {
    refuseLargeRow(parameters);
    if (!query.startsWith("select ")) outdate(store);
  };
  const store: Store = drizzle(ctx.storage, { logger: { logQuery } });
  if (hasTables(ctx.storage)) updateTables(ctx, store);
  return store;
}

/** Whether anything was ever stored here, or was since everything was deleted. */
export function hasTables({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session' LIMIT 1").toArray().length > 0;
}

/** Makes the tables, or brings them up to date. May be repeated. */
export function updateTables(ctx: DurableObjectState, store: Store): void {
  // Over this database `migrate` works synchronously; its promise only tells how it went.
  const migrated = migrate(store, migrations);
  void ctx.blockConcurrencyWhile(() => migrated);
}
