import type { OperationCounts } from "./operations.ts";

/** What counts operations. */
export interface Meter {
  add(counts: Partial<OperationCounts>): void;
}

/** The same bindings, whose requests to R2 and D1 are counted. */
export function meteredBindings(env: Env, meter: Meter): Env {
  const database = (one: D1Database) => meteredDatabase(one, meter);
  return { ...env, FILES: meteredBucket(env.FILES, meter), DB: database(env.DB), MEMORY: database(env.MEMORY) };
}

const R2_READS: ReadonlySet<PropertyKey> = new Set(["get", "head"]);
const R2_WRITES: ReadonlySet<PropertyKey> = new Set(["put", "list", "createMultipartUpload"]);
const D1_RUNS: ReadonlySet<PropertyKey> = new Set(["all", "run", "first", "raw"]);

function meteredBucket(bucket: R2Bucket, meter: Meter): R2Bucket {
  return watched(bucket, (name, answer) => {
    if (R2_READS.has(name)) meter.add({ r2Reads: 1 });
    if (R2_WRITES.has(name)) meter.add({ r2Writes: 1 });
    return answer;
  });
}

function meteredDatabase<Database extends D1Database | D1DatabaseSession>(database: Database, meter: Meter): Database {
  return watched(database, (name, answer) => {
    if (name === "prepare") return meteredStatement(answer as D1PreparedStatement, meter);
    if (name === "withSession") return meteredDatabase(answer as D1DatabaseSession, meter);
    return name === "batch" ? meteredAnswer(answer as Promise<unknown>, meter) : answer;
  });
}

function meteredStatement(statement: D1PreparedStatement, meter: Meter): D1PreparedStatement {
  return watched(statement, (name, answer) => {
    if (name === "bind") return meteredStatement(answer as D1PreparedStatement, meter);
    return D1_RUNS.has(name) ? meteredAnswer(answer as Promise<unknown>, meter) : answer;
  });
}

/** Counts a request, and its rows when they are here. */
async function meteredAnswer(answer: Promise<unknown>, meter: Meter): Promise<unknown> {
  meter.add({ d1Requests: 1 });
  const result = await answer;
  for (const one of Array.isArray(result) ? result : [result]) meter.add(rowsOf(one));
  return result;
}

/** D1 tells the rows that it has read with whole results only; of bare rows there are at least as many as came. */
function rowsOf(result: unknown): Pick<OperationCounts, "d1RowsRead" | "d1RowsWritten"> {
  if (typeof result !== "object" || result === null) return { d1RowsRead: 0, d1RowsWritten: 0 };
  const { meta } = result as { meta?: Partial<D1Meta> };
  return { d1RowsRead: meta?.rows_read ?? 1, d1RowsWritten: meta?.rows_written ?? 0 };
}

/** The same object; the answers of its methods go through `seen`. */
function watched<Binding extends object>(
  binding: Binding,
  seen: (name: PropertyKey, answer: unknown) => unknown,
): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => seen(name, value.apply(target, args));
    },
  });
}
