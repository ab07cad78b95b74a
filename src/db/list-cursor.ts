import { and, type Column, eq, lt, or, type SQL } from "drizzle-orm";

/** The position in a newest-first list: an instant in milliseconds, and a key among rows of that instant. */
export interface ListCursor {
  at: number;
  key: string;
}

/** The rows after a cursor, in a list ordered by descending instant and key. */
export function listedAfter(at: Column, key: Column, cursor: ListCursor | undefined): SQL | undefined {
  return cursor && or(lt(at, cursor.at), and(eq(at, cursor.at), lt(key, cursor.key)));
}
