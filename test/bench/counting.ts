import worker, { Session as IsopodSession } from "../../src/index.ts";

export * from "../../src/index.ts";

/** Operations since they were last asked for. */
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
  /** Requests to R2 and to D1 that were answered: before the model's request, those that were waited for. */
  r2Answered: number;
  d1Answered: number;
  /** The most of them that were one after the other. */
  remoteSteps: number;
  /** SQL statements of sessions, their transactions, and the alarms that rang. */
  statements: number;
  transactions: number;
  alarms: number;
  /** Rows that the object wrote, with those of its indexes, as SQLite tells it; setting an alarm is one, as it is billed. */
  doRowsWritten: number;
}

/** A request to R2 or D1 that was answered before the model was asked, and that was therefore waited for. */
export interface RemoteCall {
  /** Who has sent it: the Worker before it called the session's object, or the object. */
  from: "worker" | "object";
  to: "r2" | "d1";
  /** 1 for what was sent before any answer, 2 for what was sent after the first answer … */
  step: number;
}

/** What `GET /counts` answers: a turn up to its first request to a model, and the whole of it. */
export interface TurnCounts {
  beforeModel: Counts | undefined;
  total: Counts;
  /** In the order of their answers. */
  waitedFor: RemoteCall[];
}

const none = {
  r2: 0,
  r2Gets: 0,
  r2Lists: 0,
  r2GetsAtOnce: 0,
  d1: 0,
  d1RoundTrips: 0,
  r2Answered: 0,
  d1Answered: 0,
  remoteSteps: 0,
  transactions: 0,
  alarms: 0,
  alarmsSet: 0,
};
let counts = { ...none };
let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
let beforeModel: Counts | undefined;
let waitedFor: RemoteCall[] = [];
/** Whether the Worker has called the session's object. */
let isInObject = false;
let getsUnderWay = 0;
/** How much later R2 and D1 answer: what is waited for has then been answered before the model is asked, and nothing else. */
let remoteMs = 0;
/** How far the clock of this isolate is ahead. */
let laterMs = 0;

const realNow = Date.now;
Date.now = () => realNow() + laterMs;

function now(): Counts {
  const { alarmsSet, ...others } = counts;
  const doRowsWritten = cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, alarmsSet);
  return { ...others, statements: cursors.length, doRowsWritten };
}

/** A session as it is in production, on a storage that keeps count. */
export class Session extends IsopodSession {
  constructor(ctx: DurableObjectState, env: Env) {
    countObject(ctx.storage);
    super(ctx, countedBindings(env));
  }

  override accept(...args: Parameters<IsopodSession["accept"]>): ReturnType<IsopodSession["accept"]> {
    isInObject = true;
    return super.accept(...args);
  }

  override acceptAndFollow(
    ...args: Parameters<IsopodSession["acceptAndFollow"]>
  ): ReturnType<IsopodSession["acceptAndFollow"]> {
    isInObject = true;
    return super.acceptAndFollow(...args);
  }

  override alarm(...args: Parameters<IsopodSession["alarm"]>): ReturnType<IsopodSession["alarm"]> {
    counts.alarms++;
    return super.alarm(...args);
  }
}

function countObject(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const setAlarm = storage.setAlarm.bind(storage);
  const transactionSync = storage.transactionSync.bind(storage);
  sql.exec = <Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) => {
    const cursor = exec<Row>(query, ...bindings);
    cursors.push(cursor);
    return cursor;
  };
  storage.setAlarm = (at, options) => {
    counts.alarmsSet++;
    return setAlarm(Number(at) - laterMs, options);
  };
  storage.transactionSync = (work) => {
    counts.transactions++;
    return transactionSync(work);
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
    if (!R2_OPERATIONS.includes(name)) return answer;
    counts.r2++;
    if (name === "list") counts.r2Lists++;
    const remote = remoteAnswer("r2Answered", answer as Promise<unknown>);
    return name === "get" ? countedGet(remote) : remote;
  });
}

function countedGet(answer: Promise<unknown>): Promise<unknown> {
  counts.r2Gets++;
  getsUnderWay++;
  counts.r2GetsAtOnce = Math.max(counts.r2GetsAtOnce, getsUnderWay);
  return answer.finally(() => {
    getsUnderWay--;
  });
}

function countedDatabase<Database extends D1Database | D1DatabaseSession>(database: Database): Database {
  return watched(database, (name, args, answer) => {
    if (name === "prepare") return countedStatement(answer as D1PreparedStatement);
    if (name === "withSession") return countedDatabase(answer as D1DatabaseSession);
    if (name === "batch") return countedD1((args[0] as unknown[]).length, answer);
    return name === "exec" ? countedD1(1, answer) : answer;
  });
}

function countedStatement(statement: D1PreparedStatement): D1PreparedStatement {
  return watched(statement, (name, _, answer) => {
    if (name === "bind") return countedStatement(answer as D1PreparedStatement);
    return D1_RUNS.includes(name) ? countedD1(1, answer) : answer;
  });
}

function countedD1(statements: number, answer: unknown): Promise<unknown> {
  counts.d1 += statements;
  counts.d1RoundTrips++;
  return remoteAnswer("d1Answered", answer as Promise<unknown>);
}

/** The same answer, later. */
async function remoteAnswer(kind: "r2Answered" | "d1Answered", answer: Promise<unknown>): Promise<unknown> {
  const step = counts.remoteSteps + 1;
  const isOfObject = isInObject;
  try {
    const value = await answer;
    if (remoteMs > 0) await scheduler.wait(remoteMs);
    return value;
  } finally {
    counts[kind]++;
    // What the Worker asks in the background, the object, which may be in another isolate, asks beside its own calls.
    const from = isOfObject || isInObject ? "object" : "worker";
    if (beforeModel === undefined) waitedFor.push({ from, to: kind === "r2Answered" ? "r2" : "d1", step });
    counts.remoteSteps = Math.max(counts.remoteSteps, step);
  }
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

/** Gives the counts and begins anew; `remoteMs` sets how much later R2 and D1 answer, `laterMs` puts the clock on. */
function answerCounts(query: URLSearchParams): Response {
  const answer: TurnCounts = { beforeModel, total: now(), waitedFor };
  remoteMs = Number(query.get("remoteMs") ?? remoteMs);
  laterMs += Number(query.get("laterMs") ?? 0);
  counts = { ...none };
  cursors = [];
  beforeModel = undefined;
  waitedFor = [];
  isInObject = false;
  return Response.json(answer);
}

export default {
  ...worker,
  fetch(request: Request, env: Env, ctx: ExecutionContext) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/counts") return answerCounts(searchParams);
    return worker.fetch(request, countedBindings(env), ctx);
  },
};
