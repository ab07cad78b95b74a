import type { RunSlots } from "../../../src/events/due-slots.ts";
import type { AcceptRequest } from "../../../src/session-store/run-request.ts";

/** What becomes of a minute's event; `away`: D1 does not answer in it. */
export type Fate = "once" | "never" | "twice" | "late" | "away";

/** What was used, in all. */
export interface Counts {
  ticks: number;
  rowsRead: number;
  rowsWritten: number;
  /** Writes, reads and deletions of messages of the queue. */
  queueOps: number;
  consumed: number;
  r2Reads: number;
  laneCalls: number;
  /** Calls of sessions' objects. */
  wakes: number;
  /** The most slots that one minute handed over, and the most requests that one invocation of the consumer made. */
  mostSlots: number;
  mostRequests: number;
}

/** One run: when it was due, and the minute in which its session took it up. */
export interface Ran {
  dueAt: number;
  at: number;
}

/** What a simulation tells. */
export interface WorldReport {
  counts: Counts;
  /** By agent: its runs. */
  ran: Record<string, Ran[]>;
  /** By agent: when it is due next, and how its last slot was settled. */
  rows: Record<string, { dueAt: number; status: string | null; reason: string | null }>;
}

interface Queued {
  id: string;
  body: RunSlots;
  attempts: number;
  /** The minute from which it is delivered. */
  from: number;
}

/** Shares of what goes wrong where faults are on. */
const REDELIVERED = 0.05;
const REFUSED = 0.01;
const EMPTY = "# Nothing to do\n";
const FULL = "- Look at the mail\n";

/** The edges of the due logic: a D1 that is counted and may be away, a queue, sessions and files that are made up. */
export class SimulatedWorld {
  readonly env: Env;
  readonly counts: Counts = {
    ...{ ticks: 0, rowsRead: 0, rowsWritten: 0, queueOps: 0, consumed: 0, r2Reads: 0, laneCalls: 0, wakes: 0 },
    ...{ mostSlots: 0, mostRequests: 0 },
  };
  isAway = false;
  readonly #ran = new Map<string, Ran[]>();
  readonly #keys = new Set<string>();
  readonly #queue: Queued[] = [];
  readonly #database: D1Database;
  readonly #hasFaults: boolean;
  #messages = 0;
  #now = 0;
  #slots = 0;
  #requests = 0;
  #random = 1;

  private constructor(
    env: Env,
    files: { empty: R2ObjectBody; full: R2ObjectBody; read(key: string): Promise<R2ObjectBody> },
  ) {
    this.#database = env.DB;
    this.#hasFaults = Reflect.get(env, "FAULTS") === "true";
    const emptyShare = Number(Reflect.get(env, "EMPTY_SHARE"));
    const fileOf = (key: string) => (shareOf(key) < emptyShare ? "empty" : "full");
    const send = async (body: RunSlots, { delaySeconds = 0 }: { delaySeconds?: number } = {}) => {
      this.#enqueue(body, delaySeconds);
    };
    this.env = {
      ...env,
      DB: this.#counted(env.DB),
      SCHEDULE: {
        send,
        sendBatch: async (messages: Iterable<{ body: RunSlots }>) => {
          for (const { body } of messages) await send(body);
        },
      } as unknown as Queue,
      LANES: {
        getByName: () => ({
          admit: async (runIds: string[]) => {
            this.counts.laneCalls++;
            this.#requests++;
            return runIds;
          },
        }),
      } as unknown as Env["LANES"],
      SESSIONS: {
        getByName: () => ({ accept: (request: AcceptRequest) => this.#accept(request) }),
      } as unknown as Env["SESSIONS"],
      FILES: {
        head: async (key: string) => {
          this.counts.r2Reads++;
          this.#requests++;
          return key.endsWith("HEARTBEAT.md") ? files[fileOf(key)] : null;
        },
        get: async (key: string) => {
          this.counts.r2Reads++;
          this.#requests++;
          return key.endsWith("HEARTBEAT.md") ? files.read(fileOf(key)) : null;
        },
      } as unknown as R2Bucket,
    };
  }

  static async open(env: Env): Promise<SimulatedWorld> {
    const { FILES } = env;
    await Promise.all([FILES.put("empty", EMPTY), FILES.put("full", FULL)]);
    const read = async (key: string) => {
      const file = await FILES.get(key);
      if (file === null) throw new Error(`${key} is gone`);
      return file;
    };
    return new SimulatedWorld(env, { empty: await read("empty"), full: await read("full"), read });
  }

  begin(at: number, fate: Fate): void {
    this.#now = at;
    this.isAway = fate === "away";
    this.#slots = 0;
  }

  /** Delivers what is due, with what is sent or retried meanwhile in a later minute. */
  async deliver(consume: (batch: MessageBatch, context: ExecutionContext) => Promise<void>): Promise<void> {
    this.counts.mostSlots = Math.max(this.counts.mostSlots, this.#slots);
    const due = this.#queue.filter(({ from }) => from <= this.#now);
    this.#queue.splice(0, this.#queue.length, ...this.#queue.filter(({ from }) => from > this.#now));
    for (const message of due) {
      const copies = this.#hasFaults && this.#draw() < REDELIVERED ? [message, { ...message }] : [message];
      await Promise.all(copies.map((copy) => this.#consume(copy, consume)));
    }
  }

  async report(): Promise<WorldReport> {
    const { results } = await this.#database
      .prepare(
        "SELECT agent_id AS agentId, due_at AS dueAt, last_status AS status, last_reason AS reason FROM schedule_entries",
      )
      .all<{ agentId: string; dueAt: number; status: string | null; reason: string | null }>();
    const rows = Object.fromEntries(results.map(({ agentId, ...row }) => [agentId, row]));
    return { counts: this.counts, ran: Object.fromEntries(this.#ran), rows };
  }

  async #consume(
    { id, body, attempts }: Queued,
    consume: (batch: MessageBatch, context: ExecutionContext) => Promise<void>,
  ): Promise<void> {
    this.counts.consumed++;
    this.counts.queueOps++;
    this.#requests = 0;
    let isDone = false;
    const message = {
      ...{ id, body, attempts, timestamp: new Date(this.#now) },
      ack: () => {
        isDone = true;
      },
      retry: () => undefined,
    };
    const work: Promise<unknown>[] = [];
    const context = {
      waitUntil: (promise: Promise<unknown>) => void work.push(promise),
      passThroughOnException() {},
      props: {},
    };
    const batch = { queue: "isopod-schedule", messages: [message], ackAll() {}, retryAll() {} };
    await consume(batch as unknown as MessageBatch, context as unknown as ExecutionContext);
    await Promise.allSettled(work);
    this.counts.mostRequests = Math.max(this.counts.mostRequests, this.#requests);
    if (isDone) this.counts.queueOps++;
    else if (attempts < 5) this.#queue.push({ id, body, attempts: attempts + 1, from: this.#now + 60_000 });
  }

  #enqueue(body: RunSlots, delaySeconds: number): void {
    this.counts.queueOps++;
    this.#slots += body.slots.length;
    this.#queue.push({ id: `m${this.#messages++}`, body, attempts: 1, from: this.#now + delaySeconds * 1000 });
  }

  /** A session takes up a slot once. It may fail before, or after which its caller does not know. */
  async #accept({ runId, sessionKey, agentId, idempotencyKey = "", input }: AcceptRequest) {
    this.counts.wakes++;
    this.#requests++;
    const failsAt = this.#hasFaults ? this.#draw() / REFUSED : 1;
    if (failsAt < 0.5) throw new Error("The session does not answer.");
    if (!this.#keys.has(idempotencyKey)) {
      this.#keys.add(idempotencyKey);
      const { origin } = input;
      const dueAt = origin?.kind === "heartbeat" ? origin.slot.dueAt : 0;
      this.#ran.set(agentId, [...(this.#ran.get(agentId) ?? []), { dueAt, at: this.#now }]);
    }
    if (failsAt < 1) throw new Error("The session does not answer.");
    return { runId, sessionKey, sessionId: "ses", acceptedAt: this.#now };
  }

  #counted<Target extends object>(target: Target): Target {
    const counted = new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          const bare = args.map((arg) => (Array.isArray(arg) ? arg.map((one) => PLAIN.get(one) ?? one) : arg));
          if (name === "prepare" || name === "bind") return this.#counted(member.apply(target, bare));
          if (this.isAway) return Promise.reject(new Error("D1_ERROR: Network connection lost."));
          this.#requests++;
          if (name === "raw") return this.#raw(target as unknown as D1PreparedStatement);
          return Promise.resolve(member.apply(target, bare)).then((answer: unknown) => {
            for (const one of Array.isArray(answer) ? answer : [answer]) this.#note(one);
            return answer;
          });
        };
      },
    });
    PLAIN.set(counted, target);
    return counted;
  }

  /** Rows as lists of values, with the counts that D1 tells only of rows as objects. */
  async #raw(statement: D1PreparedStatement): Promise<unknown[][]> {
    const answer = await statement.all();
    this.#note(answer);
    return answer.results.map((row) => Object.values(row));
  }

  #note(answer: unknown): void {
    const { meta } = (answer ?? {}) as { meta?: { rows_read?: number; rows_written?: number } };
    this.counts.rowsRead += meta?.rows_read ?? 0;
    this.counts.rowsWritten += meta?.rows_written ?? 0;
  }

  /** A number from 0 to 1; the same ones each time. */
  #draw(): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return this.#random / 2_147_483_647;
  }
}

/** What a counted statement is of. */
const PLAIN = new WeakMap<object, object>();

/** Where an agent's files stand between 0 and 1. */
function shareOf(key: string): number {
  return (Number(/\d+/.exec(key)?.[0] ?? 0) % 100) / 100;
}
