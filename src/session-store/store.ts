import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import migrations from "../../migrations/session/migrations.js";
import { IsopodError } from "../lib/errors.ts";
import { byteLength } from "../lib/text.ts";

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
    if (!query.startsWith("select ")) invalidateReads(store);
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

/** How often each database was written to, as far as reads have to know. */
const writes = new WeakMap<Store, number>();

/** Whatever was remembered of a database may be wrong now: it is being written to, or a write was taken back. */
export function invalidateReads(store: Store): void {
  writes.set(store, (writes.get(store) ?? 0) + 1);
}

/**
 * A read that is made once between two writes: a turn asks dozens of times what is due, and little changes meanwhile.
 * Nobody may change what it gives. What another incarnation writes is not seen; before anything is written, the fence
 * looks for that itself.
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
 * Most bytes that one statement may store. A row of an object's database holds 2 MB at most; what is not counted here,
 * such as a row's other columns, is small.
 */
export const MAX_ROW_BYTES = 1_900_000;
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * The last guard: whatever makes rows keeps them far smaller.
 * @throws IsopodError `payload_too_large` where these values would not fit into a row; nothing is stored then
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
 * Statements that are built once for each database: building a query costs several times what running it does, and a
 * turn runs dozens.
 */
export function prepared<Statements>(build: (store: Store) => Statements): (store: Store) => Statements {
  const built = new WeakMap<Store, Statements>();
  return (store) => {
    const known = built.get(store) ?? build(store);
    built.set(store, known);
    return known;
  };
}

/** A place in a prepared statement for a value of this column, to be given under the column's own SQL name. */
export function slot(column: Column): SQL {
  // Drizzle encodes a value in a place also where it is null, which it does nowhere else.
  const mapToDriverValue = (value: unknown) => (value === null ? null : column.mapToDriverValue(value));
  return sql`${sql.param(sql.placeholder(column.name), { mapToDriverValue })}`;
}

/** A row's values under the SQL names of their columns, as the slots of a prepared statement take them. */
export function slotValues<Row extends Table>(table: Row, row: Partial<Row["$inferSelect"]>): Record<string, unknown> {
  const values = new Map(Object.entries(row));
  return Object.fromEntries(Object.entries(getTableColumns(table)).map(([key, { name }]) => [name, values.get(key)]));
}
