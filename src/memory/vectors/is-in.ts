import { type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

/** A condition with any number of values, in one parameter: a statement may have 100. */
export function isIn(column: AnySQLiteColumn, values: readonly number[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
}
