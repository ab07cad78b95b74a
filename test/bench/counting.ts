import worker, { Session as IsopodSession } from "../../src/index.ts";

export * from "../../src/index.ts";

/** Storage operations since they were last asked for. */
export interface Counts {
  r2: number;
  /** Of them: reads of an object, and listings. */
  r2Gets: number;
  r2Lists: number;
  /** Most reads under way at once. */
  r2GetsAtOnce: number;
  /** Statements to either database, each of a batch too. */
  d1: number;
  /** Requests to D1; a batch is one. */
  d1RoundTrips: number;
  /** Rows that the object wrote, with those of its indexes, as SQLite tells it; setting an alarm is one, as it is billed. */
  doRowsWritten: number;
}

/** What `GET /counts` answers: a turn up to its first request to a model, and the whole of it. */
export interface TurnCounts {
  beforeModel: Counts | undefined;
  total: Counts;
}

const none = { r2: 0, r2Gets: 0, r2Lists: 0, r2GetsAtOnce: 0, d1: 0, d1RoundTrips: 0, alarms: 0 };
let counts = { ...none };
let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
let beforeModel: Counts | undefined;
let getsUnderWay = 0;

function now(): Counts {
  const { alarms, ...others } = counts;
  return { ...others, doRowsWritten: cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, alarms) };
}

/** A session as it is in production, on a storage that keeps count. */
export class Session extends IsopodSession {
  constructor(ctx: DurableObjectState, env: Env) {
    countObject(ctx.storage);
    super(ctx, countedBindings(env));
  }
}

function countObject(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const setAlarm = storage.setAlarm.bind(storage);
  sql.exec = <Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) => {
    const cursor = exec<Row>(query, ...bindings);
    cursors.push(cursor);
    return cursor;
  };
  storage.setAlarm = (...args) => {
    counts.alarms++;
    return setAlarm(...args);
  };
}

let bindings: Env | undefined;

/** The Worker's bindings, the same object every time, as the platform hands them out. */
function countedBindings(env: Env): Env {
  bindings ??= {
    ...env,
    FILES: countedBucket(env.FILES),
    DB: countedDatabase(env.DB),
    MEMORY: countedDatabase(env.MEMORY),
  };
  return bindings;
}

const R2_OPERATIONS: readonly PropertyKey[] = ["head", "get", "put", "delete", "list", "createMultipartUpload"];
const D1_RUNS: readonly PropertyKey[] = ["first", "all", "run", "raw"];

function countedBucket(bucket: R2Bucket): R2Bucket {
  return watched(bucket, (name, _, answer) => {
    if (R2_OPERATIONS.includes(name)) counts.r2++;
    if (name === "list") counts.r2Lists++;
    return name === "get" ? countedGet(answer as Promise<R2ObjectBody | null>) : answer;
  });
}

function countedGet(answer: Promise<R2ObjectBody | null>): Promise<R2ObjectBody | null> {
  counts.r2Gets++;
  getsUnderWay++;
  counts.r2GetsAtOnce = Math.max(counts.r2GetsAtOnce, getsUnderWay);
  return answer.finally(() => {
    getsUnderWay--;
  });
}

function countedDatabase(database: D1Database): D1Database {
  return watched(database, (name, args, answer) => {
    if (name === "prepare") return countedStatement(answer as D1PreparedStatement);
    if (name === "batch") countD1((args[0] as unknown[]).length);
    if (name === "exec") countD1(1);
    return answer;
  });
}

function countedStatement(statement: D1PreparedStatement): D1PreparedStatement {
  return watched(statement, (name, _, answer) => {
    if (name === "bind") return countedStatement(answer as D1PreparedStatement);
    if (D1_RUNS.includes(name)) countD1(1);
    return answer;
  });
}

function countD1(statements: number): void {
  counts.d1 += statements;
  counts.d1RoundTrips++;
}

/** The same object; each call of a method is told, and `told` may answer in its place. */
function watched<Binding extends object>(
  binding: Binding,
  told: (name: PropertyKey, args: unknown[], answer: unknown) => unknown,
): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const answer: unknown = value.apply(target, args);
        return told(name, args, answer) ?? answer;
      };
    },
  });
}

const realFetch = globalThis.fetch;
globalThis.fetch = (...args: Parameters<typeof fetch>) => {
  beforeModel ??= now();
  return realFetch(...args);
};

export default {
  ...worker,
  fetch(request: Request, env: Env, ctx: ExecutionContext) {
    if (new URL(request.url).pathname !== "/counts") return worker.fetch(request, countedBindings(env), ctx);
    const answer: TurnCounts = { beforeModel, total: now() };
    counts = { ...none };
    cursors = [];
    beforeModel = undefined;
    return Response.json(answer);
  },
};
