import { runInDurableObject } from "cloudflare:test";
import { stubOf } from "./session-lab.ts";

/** A statement that an object ran, and what it cost. */
export interface Ran {
  query: string;
  rowsRead: number;
}

/** Notes every statement that any object of this test file runs from now on; the function gives them and begins anew. */
export async function countRows(name: string): Promise<() => Ran[]> {
  let cursors: { query: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[] = [];
  await runInDurableObject(await stubOf(name), (_, { storage }) => {
    const prototype = Object.getPrototypeOf(storage.sql) as SqlStorage;
    const exec = prototype.exec;
    prototype.exec = function (this: SqlStorage, query: string, ...values: unknown[]) {
      const cursor = exec.call(this, query, ...values);
      cursors.push({ query, cursor });
      return cursor;
    } as SqlStorage["exec"];
  });
  return () => {
    const ran = cursors.map(({ query, cursor }) => ({ query, rowsRead: cursor.rowsRead }));
    cursors = [];
    return ran;
  };
}

/** Rows that statements read together. */
export function rowsIn(ran: readonly Ran[]): number {
  return ran.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
}
