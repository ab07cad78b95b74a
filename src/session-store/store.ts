import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import migrations from "../../migrations/session/migrations.js";
import schema from "../../migrations/session/schema.sql";
import { IsopodError } from "../lib/errors.ts";
import { byteLength } from "../lib/text.ts";

/** The session's own database. It is synchronous, and all writes of one go are one commit. */
export type Store = DrizzleSqliteDODatabase;

/**
 * Opens the database of an object and migrates its tables; a failed migration resets the object. Where there are no
 * tables none are created, so that reading a session that does not exist leaves nothing behind.
 */
export function openStore(ctx: DurableObjectState): Store {
  // Drizzle's logger sees every statement before it runs, and so every row.
  const logQuery = (query: string, parameters: unknown[]) => {
    refuseLargeRow(parameters);
    if (!query.startsWith("select ")) invalidateReads(store);
  };
  const store: Store = drizzle(ctx.storage, { logger: { logQuery } });
  if (hasTables(ctx.storage)) updateTables(ctx, store);
  return store;
}

/** Whether the object has stored anything since it was created or deleted. */
export function hasTables({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session' LIMIT 1").toArray().length > 0;
}

/** Creates the tables, or migrates them. May be repeated. */
export function updateTables(ctx: DurableObjectState, store: Store): void {
  // With this driver `migrate` is synchronous; its promise only carries its outcome.
  const migrated = migrate(store, hasTables(ctx.storage) ? migrations : wholeSchema());
  void ctx.blockConcurrencyWhile(() => migrated);
}

/**
 * The schema of a new object as one migration that counts as the latest one. Going through all migrations would write
 * several times as many rows, because each rename of a table or column rewrites the catalogue.
 */
function wholeSchema(): typeof migrations {
  const latest = migrations.journal.entries.at(-1);
  if (latest === undefined) throw new Error("There are no migrations of a session's database.");
  return { journal: { entries: [{ ...latest, idx: 0 }] }, migrations: { m0000: schema } };
}

/** Write counter of each database, for cached reads. */
const writes = new WeakMap<Store, number>();

/** Invalidates cached reads: the database is written to, or a write was rolled back. */
export function invalidateReads(store: Store): void {
  writes.set(store, (writes.get(store) ?? 0) + 1);
}

/**
 * A read that is cached until the next write: a turn asks dozens of times what is due, and little changes between.
 * Callers must not change the result. Writes of another incarnation are not seen; the fence checks for those before
 * each write.
 */
export function cachedRead<Result>(read: (store: Store) => Result): (store: Store) => Result {
  const known = new WeakMap<Store, { at: number; result: Result }>();
  return (store) => {
    const at = writes.get(store) ?? 0;
    const last = known.get(store);
    if (last?.at === at) return last.result;
    const result = read(store);
    known.set(store, { at, result });
    return result;
  };
}

/**
 * Most bytes that one statement may store. A row of an object's database holds at most 2 MB; what is not counted here,
 * such as other columns, is small.
 */
export const MAX_ROW_BYTES = 1_900_000;
/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * A last check: all writers keep their rows far smaller.
 * @throws IsopodError `payload_too_large` where the values do not fit into a row; nothing is stored then
 */
export function refuseLargeRow(values: readonly unknown[]): void {
  const texts = values.filter((value) => typeof value === "string");
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units * MOST_BYTES_PER_UNIT <= MAX_ROW_BYTES) return;
  const bytes = texts.reduce((sum, text) => sum + byteLength(text), 0);
  if (bytes <= MAX_ROW_BYTES) return;
  throw new IsopodError("payload_too_large", `${bytes} bytes do not fit into one row of a session's database.`);
}

/**
 * Statements that are built once for each database: building a query costs several times its execution, and a turn runs
 * dozens.
 */
export function prepared<Statements>(build: (store: Store) => Statements): (store: Store) => Statements {
  const built = new WeakMap<Store, Statements>();
  return (store) => {
    const known = built.get(store) ?? build(store);
    built.set(store, known);
    return known;
  };
}

/** A placeholder for a column's value, passed under the column's SQL name. */
export function slot(column: Column): SQL {
  // For placeholders Drizzle also encodes null, which it does nowhere else.
  const mapToDriverValue = (value: unknown) => (value === null ? null : column.mapToDriverValue(value));
  return sql`${sql.param(sql.placeholder(column.name), { mapToDriverValue })}`;
}

/** A row's values under the SQL names of their columns, for the placeholders of a prepared statement. */
export function slotValues<Row extends Table>(table: Row, row: Partial<Row["$inferSelect"]>): Record<string, unknown> {
  const values = new Map(Object.entries(row));
  return Object.fromEntries(Object.entries(getTableColumns(table)).map(([key, { name }]) => [name, values.get(key)]));
}
