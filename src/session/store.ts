import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import migrations from "../../migrations/session/migrations.js";

/** The session's own database: synchronous, and everything written in one go is one commit. */
export type Store = DrizzleSqliteDODatabase;

/** Opens the database of an object with its tables brought up to date; a migration that fails resets the object. */
export function openStore(ctx: DurableObjectState): Store {
  const store = drizzle(ctx.storage);
  // Over this database `migrate` works synchronously; its promise only tells how it went.
  const migrated = migrate(store, migrations);
  void ctx.blockConcurrencyWhile(() => migrated);
  return store;
}
