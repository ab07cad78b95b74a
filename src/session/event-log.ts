import { and, asc, desc, eq, gt } from "drizzle-orm";
import type { AgentEvent, EventBody } from "../agent/events.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Message } from "../models/message.ts";
import { events, messages, session } from "./schema.ts";
import type { Store } from "./store.ts";

/** How many numbers are set aside in storage at a time; what is left of them is skipped by the next incarnation. */
const SEQ_RESERVE = 10_000;

/** What a reader wants: what comes after a number, of the whole session or of one run. */
export interface ReadRequest {
  after: number;
  runId?: string;
  limit: number;
}

/**
 * Everything that happens in a session, in one order.
 *
 * An event that stands for a message is not stored a second time: the transcript's row is the event. Deltas stay in
 * memory until the message that they lead to is there. A reader asks for what comes after the last number it saw, so
 * nothing is buffered for it: it can be as slow as it likes, and go on after any break.
 */
export class EventLog {
  readonly #store: Store;
  #next: number;
  #reserved: number;
  #lastStored = Number.POSITIVE_INFINITY;
  #live: AgentEvent[] = [];
  readonly #waiting = new Set<() => void>();

  /** @param firstSeq the first number that no earlier incarnation can have given out */
  constructor(store: Store, firstSeq: number) {
    this.#store = store;
    this.#next = firstSeq;
    this.#reserved = firstSeq;
  }

  /** The number of the newest event. */
  get lastSeq(): number {
    return this.#next - 1;
  }

  /** The number from which a reader of the transcript goes on: nothing that is still only live comes before it. */
  get settledSeq(): number {
    return (this.#live[0]?.seq ?? this.#next) - 1;
  }

  /** The number of the newest message of a run; 0 where it has none. */
  lastOf(runId: string): number {
    const ofRun = this.#store.select({ seq: messages.seq }).from(messages).where(eq(messages.runId, runId));
    return ofRun.orderBy(desc(messages.seq)).limit(1).get()?.seq ?? 0;
  }

  /** Sets more numbers aside. Gives the first that is not, which the caller stores in the same commit. */
  reserve(): number {
    this.#reserved = this.#next + SEQ_RESERVE;
    return this.#reserved;
  }

  /** Takes a number that was never used. Where none is set aside any more, that is part of the current commit. */
  take(): number {
    if (this.#next >= this.#reserved) {
      this.#store.update(session).set({ reservedSeq: this.reserve() }).run();
    }
    return this.#next++;
  }

  /** Appends a message to the transcript, which is its event too. Gives its number. */
  append(runId: string, message: Message): number {
    const seq = this.take();
    this.#store.insert(messages).values({ seq, runId, body: message }).run();
    this.#live = this.#live.filter((event) => event.runId !== runId || !leadsTo(event, message));
    this.#stored(seq);
    return seq;
  }

  /** Stores events that no message stands for, as one row. Gives the number of the last. */
  record(runId: string, ts: number, bodies: readonly EventBody[]): number {
    const body = bodies.map((event) => ({ ...event, seq: this.take(), ts }));
    const seq = this.lastSeq;
    this.#store.insert(events).values({ seq, runId, body }).run();
    this.#stored(seq);
    return seq;
  }

  /** Shows an event to whoever reads now, and keeps it only until its message is there. */
  show(runId: string, ts: number, body: EventBody): void {
    this.#live.push({ ...body, runId, seq: this.take(), ts });
    this.#wake();
  }

  /** Forgets what was shown of a run and never became a message. */
  forget(runId: string): void {
    this.#live = this.#live.filter((event) => event.runId !== runId);
  }

  /** The next events after a number, oldest first, at most `limit` of them (and what is live between them). */
  read({ after, runId, limit }: ReadRequest): AgentEvent[] {
    const stored = after >= this.#lastStored ? [] : this.#readStored(after, runId, limit);
    const full = stored.length >= limit;
    const upTo = full ? (stored.at(-1)?.seq ?? after) : Number.POSITIVE_INFINITY;
    const live = this.#live.filter(
      (event) => event.seq > after && event.seq < upTo && (runId === undefined || event.runId === runId),
    );
    return live.length === 0 ? stored : [...stored, ...live].sort((a, b) => a.seq - b.seq);
  }

  /** @throws IsopodError `not_found` where no event can have had this number yet */
  requireCursor(after: number): void {
    if (after <= this.lastSeq) return;
    const hint = "Read the history and go on from its cursor.";
    throw new IsopodError("not_found", `This session has no event ${after} yet.`, hint);
  }

  /** Calls back whenever there is something new. That may be in the middle of a commit, which may still fail. */
  watch(listener: () => void): void {
    this.#waiting.add(listener);
  }

  /** Resolves when there is something new, or after `timeoutMs`. */
  changed(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }

  #stored(seq: number): void {
    this.#lastStored = seq;
    this.#wake();
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }

  #readStored(after: number, runId: string | undefined, limit: number): AgentEvent[] {
    const fromMessages = this.#store
      .select()
      .from(messages)
      .where(and(gt(messages.seq, after), runId === undefined ? undefined : eq(messages.runId, runId)))
      .orderBy(asc(messages.seq))
      .limit(limit)
      .all()
      .map((row) => ({ ...eventOf(row.body), runId: row.runId, seq: row.seq, ts: row.body.at }));
    const fromEvents = this.#store
      .select()
      .from(events)
      .where(and(gt(events.seq, after), runId === undefined ? undefined : eq(events.runId, runId)))
      .orderBy(asc(events.seq))
      .limit(limit)
      .all()
      .flatMap((row) => row.body.map((event) => ({ ...event, runId: row.runId })))
      .filter((event) => event.seq > after);
    return [...fromMessages, ...fromEvents].sort((a, b) => a.seq - b.seq).slice(0, limit);
  }
}

/** The event that a message is. */
function eventOf(message: Message): EventBody {
  switch (message.role) {
    case "user":
      return message.fromRunId === undefined
        ? { type: "lifecycle", phase: "start", input: message }
        : { type: "queue", phase: "joining", input: message };
    case "assistant":
      return { type: "assistant", phase: "message", message };
    case "tool":
      return { type: "tool", phase: "end", message };
  }
}

/** Whether a live event is one of those that a message replaces. */
function leadsTo(event: AgentEvent, message: Message): boolean {
  if (event.type === "assistant") return message.role === "assistant";
  return event.type === "tool" && message.role === "tool" && "callId" in event && event.callId === message.callId;
}
