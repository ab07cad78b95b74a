import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import type { Store } from "./store.ts";

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
