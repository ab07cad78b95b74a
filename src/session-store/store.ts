import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import migrations from "../../migrations/session/migrations.js";
import schema from "../../migrations/session/schema.sql";
import { IsopodError } from "../lib/errors.ts";
import { byteLength } from "../lib/text.ts";
import { meteredStorage, OperationMeter } from "../services/operations.ts";

/** The session's own database. It is synchronous, and all writes of one go are one commit. */
export type Store = DrizzleSqliteDODatabase;

/** Opens the database of an object. Nothing is read or written. */
export function openStore(ctx: DurableObjectState, meter = new OperationMeter()): Store {
  // Drizzle's logger sees every statement before it runs, and so every row.
  const logQuery = (query: string, parameters: unknown[]) => {
    refuseLargeRow(parameters);
    noteStatement(store, query);
  };
  const store: Store = drizzle(meteredStorage(ctx.storage, meter), { logger: { logQuery } });
  return store;
}

/** Whether the object has stored anything since it was created or deleted. */
export function hasTables({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session' LIMIT 1").toArray().length > 0;
}

/**
 * Migrates the tables of an object if it has any; a failed migration resets the object. Where there are none, none are
 * created, so that reading a session that does not exist leaves nothing behind.
 */
export function migrateTables(ctx: DurableObjectState, store: Store): void {
  if (hasTables(ctx.storage)) updateTables(ctx, store);
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

/** What a statement reads and writes, from its text; drizzle quotes the names of tables. */
interface Statement {
  tables: readonly string[];
  /** Such as `update runs`; undefined for a query. */
  write: string | undefined;
}

const parsed = new Map<string, Statement>();

function parseStatement(query: string): Statement {
  const known = parsed.get(query);
  if (known !== undefined) return known;
  const [, verb, table = "?"] = /^\s*(insert into|update|delete from) "(\w+)"/i.exec(query) ?? [];
  const isQuery = /^\s*\(?select /i.test(query);
  const write = isQuery ? undefined : `${verb?.split(" ")[0] ?? "?"} ${table}`;
  const tables = [...query.matchAll(/\b(?:from|join) "(\w+)"/gi)].map(([, name = ""]) => name);
  const statement = { tables: [...new Set(tables)], write };
  parsed.set(query, statement);
  return statement;
}

/** The state of a database's cached reads. */
interface Writes {
  /** How often all cached reads were dropped. */
  era: number;
  /** How often each kind of write to each table was made, such as `update runs`. */
  counts: Map<string, number>;
}

const allWrites = new WeakMap<Store, Writes>();
/** The tables that the cached reads under way have read, innermost last. */
const readings: Set<string>[] = [];

function writesTo(store: Store): Writes {
  const known = allWrites.get(store) ?? { era: 0, counts: new Map() };
  allWrites.set(store, known);
  return known;
}

function noteStatement(store: Store, query: string): void {
  const { tables, write } = parseStatement(query);
  if (write === undefined) for (const table of tables) readings.at(-1)?.add(table);
  else if (write.includes("?")) invalidateReads(store);
  else {
    const { counts } = writesTo(store);
    counts.set(write, (counts.get(write) ?? 0) + 1);
  }
}

/** Drops all cached reads: a write was rolled back, or the database was written to in another way. */
export function invalidateReads(store: Store): void {
  writesTo(store).era++;
}

interface Cached<Result> {
  result: Result;
  era: number;
  /** The kinds of writes that it depends on, and how many there were. */
  counts: readonly (readonly [kind: string, count: number])[];
}

function cache<Result>(kinds: readonly string[], result: Result, { era, counts }: Writes): Cached<Result> {
  return { result, era, counts: kinds.map((kind) => [kind, counts.get(kind) ?? 0]) };
}

function isCurrent<Result>(cached: Cached<Result>, { era, counts }: Writes): boolean {
  return cached.era === era && cached.counts.every(([kind, count]) => (counts.get(kind) ?? 0) === count);
}

/**
 * A read that is cached until a table that it reads is written to: a turn asks dozens of times what is due, and little
 * changes between. Callers must not change the result. Writes of another incarnation are not seen; the fence checks for
 * those before each write.
 */
export function cachedRead<Result>(read: (store: Store) => Result): (store: Store) => Result {
  const known = new WeakMap<Store, Cached<Result> & { tables: ReadonlySet<string> }>();
  return (store) => {
    const last = known.get(store);
    if (last !== undefined && isCurrent(last, writesTo(store))) {
      for (const table of last.tables) readings.at(-1)?.add(table);
      return last.result;
    }
    const tables = new Set<string>();
    readings.push(tables);
    try {
      const result = read(store);
      const kinds = [...tables].flatMap((table) => [`insert ${table}`, `update ${table}`, `delete ${table}`]);
      known.set(store, { ...cache(kinds, result, writesTo(store)), tables });
      return result;
    } finally {
      readings.pop();
      for (const table of tables) readings.at(-1)?.add(table);
    }
  };
}

/**
 * A value that this incarnation keeps about its database, together with its own writes. It is made anew after a write of
 * one of the given kinds, such as `delete runs`, and after a write that was rolled back.
 */
export function keptValue<Value>(kinds: readonly string[], make: () => Value): (store: Store) => Value {
  const known = new WeakMap<Store, Cached<Value>>();
  return (store) => {
    const last = known.get(store);
    if (last !== undefined && isCurrent(last, writesTo(store))) return last.result;
    const kept = cache(kinds, make(), writesTo(store));
    known.set(store, kept);
    return kept.result;
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
