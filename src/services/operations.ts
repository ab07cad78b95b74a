/** What a run has used of the platform, beside its models: what the platform bills. */
export interface Operations {
  /** Rows of the session's database, and of D1. */
  rowsRead: number;
  rowsWritten: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  /** Requests to D1; a batch is one. */
  d1Requests: number;
  /** Requests to R2 of class A (writes and listings) and of class B (reads); deletions are free. */
  r2Writes: number;
  r2Reads: number;
  /** How long the session's object has worked on it, in milliseconds of time that passes, not of CPU. */
  objectMs: number;
}

export type OperationCounts = Omit<Operations, "objectMs">;

const NONE: OperationCounts = {
  rowsRead: 0,
  rowsWritten: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  d1Requests: 0,
  r2Writes: 0,
  r2Reads: 0,
};

/** Cursors that are kept until they are counted: SQLite counts rows as they are read. */
const MAX_CURSORS = 64;

type Cursor = Pick<SqlStorageCursor<Record<string, SqlStorageValue>>, "rowsRead" | "rowsWritten">;

/** Counts the operations of an object, and says which of them belong to its current run. */
export class OperationMeter {
  #counts = NONE;
  #cursors: Cursor[] = [];
  #run: { id: string; before: OperationCounts; startedAt: number } | undefined;
  #accepting: { before: OperationCounts; startedAt: number } | undefined;

  /** Adds operations. */
  add(counts: Partial<OperationCounts>): void {
    const sums = { ...this.#counts };
    for (const [name, count] of Object.entries(counts)) sums[name as keyof OperationCounts] += count;
    this.#counts = sums;
  }

  /** Counts a statement, whose rows are read after this call. */
  addCursor(cursor: Cursor): void {
    this.#cursors.push(cursor);
    if (this.#cursors.length > MAX_CURSORS) this.#countCursors(this.#cursors.splice(0, MAX_CURSORS - 1));
  }

  /** A run is being accepted, which will begin at once: what is done for it from now on belongs to it. */
  accept(now: number): void {
    this.#accepting = { before: this.#total(), startedAt: now };
  }

  /** A run begins, or goes on after a crash or an approval. */
  begin(runId: string, now: number): void {
    this.#run = { id: runId, ...(this.#accepting ?? { before: this.#total(), startedAt: now }) };
    this.#accepting = undefined;
  }

  /** The operations since a run began; undefined if another one has begun since, or this object has not seen it begin. */
  of(runId: string, now: number): Operations | undefined {
    if (this.#run?.id !== runId) return undefined;
    const { before, startedAt } = this.#run;
    const total = this.#total();
    const used = Object.entries(total).map(([name, count]) => [name, count - before[name as keyof OperationCounts]]);
    return { ...(Object.fromEntries(used) as unknown as OperationCounts), objectMs: now - startedAt };
  }

  #total(): OperationCounts {
    this.#countCursors(this.#cursors.splice(0));
    return this.#counts;
  }

  #countCursors(cursors: readonly Cursor[]): void {
    const sum = (of: (cursor: Cursor) => number) => cursors.reduce((total, cursor) => total + of(cursor), 0);
    this.add({ rowsRead: sum((cursor) => cursor.rowsRead), rowsWritten: sum((cursor) => cursor.rowsWritten) });
  }
}

/** The storage of an object, whose statements are counted. */
export function meteredStorage(storage: DurableObjectStorage, meter: OperationMeter): DurableObjectStorage {
  const sql = {
    exec<Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) {
      const cursor = storage.sql.exec<Row>(query, ...bindings);
      meter.addCursor(cursor);
      return cursor;
    },
  };
  // What drizzle uses of it.
  return { sql, transactionSync: storage.transactionSync.bind(storage) } as DurableObjectStorage;
}
