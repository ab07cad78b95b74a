import type { StoredRow } from "../session-store/session-place.ts";

/** Characters after which a part of a session is full; its last row may exceed it by 2 MB. A call carries 32 MiB. */
const PART_CHARS = 2_000_000;
/** Most rows of a part. */
const PART_ROWS = 5000;
/** The migrations that were applied: a new object has applied its own. */
const MIGRATIONS = "__drizzle_migrations";

/**
 * All rows of a session's tables, each table in the order of insertion, in parts of bounded size; one at least. No cursor
 * is open between two parts: the tables cannot be dropped while one is.
 */
export function* sessionParts({ sql }: Pick<DurableObjectStorage, "sql">): Generator<StoredRow[]> {
  let rows: StoredRow[] = [];
  let chars = 0;
  for (const table of sessionTables(sql)) {
    if (table === MIGRATIONS) continue;
    const { columnNames } = sql.exec(`SELECT * FROM "${table}" LIMIT 0`);
    const size = columnNames.map((name) => `coalesce(length("${name}"), 0)`).join(" + ");
    const sizes = `SELECT rowid AS id, ${size} AS size FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ${PART_ROWS}`;
    const range = `SELECT * FROM "${table}" WHERE rowid > ? AND rowid <= ? ORDER BY rowid`;
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const sized = sql.exec<{ id: number; size: number }>(sizes, after).toArray();
      if (sized.length === 0) break;
      let upTo = after;
      for (const { id, size } of sized) {
        upTo = id;
        chars += size;
        if (chars >= PART_CHARS) break;
      }
      const found = sql.exec<Record<string, SqlStorageValue>>(range, after, upTo).toArray();
      rows.push(...found.map((values) => ({ table, values })));
      after = upTo;
      if (chars < PART_CHARS && rows.length < PART_ROWS) continue;
      yield rows;
      rows = [];
      chars = 0;
    }
  }
  yield rows;
}

/** Inserts rows into the tables of a new object. @throws the error of SQLite where a table or column is not there */
export function insertRows({ sql }: Pick<DurableObjectStorage, "sql">, rows: readonly StoredRow[]): void {
  for (const { table, values } of rows) {
    const columns = Object.keys(values);
    const names = columns.map((column) => `"${column}"`).join(", ");
    const slots = columns.map(() => "?").join(", ");
    sql.exec(`INSERT INTO "${table}" (${names}) VALUES (${slots})`, ...Object.values(values));
  }
}

/** Drops all tables of a session. */
export function dropTables({ sql }: Pick<DurableObjectStorage, "sql">): void {
  for (const table of sessionTables(sql)) sql.exec(`DROP TABLE "${table}"`);
}

function sessionTables(sql: SqlStorage): string[] {
  const names = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  return names.toArray().flatMap(({ name }) => (/^(_cf_|sqlite_)/.test(name) ? [] : [name]));
}
