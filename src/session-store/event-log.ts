import { and, desc, eq, gte, sql } from "drizzle-orm";
import type { AgentEvent, EventBody, ToolEvent } from "../agent/events.ts";
import { IsopodError } from "../lib/errors.ts";
import { isForPeople, type Message } from "../models/message.ts";
import { noteAppended } from "./recent-messages.ts";
import type { OpenRun } from "./runs.ts";
import { events, messages, session } from "./schema.ts";
import { prepared, type Store, slot } from "./store.ts";
import { type EventRequest, messageEvent, type RunSpan, readStoredEvents, type StoredPage } from "./stored-events.ts";

/** How many numbers are reserved in storage at a time; unused ones are skipped by the next incarnation. */
const SEQ_RESERVE = 10_000;
/** Milliseconds between two notifications of live events. A person does not see a shorter pause between two words. */
const LIVE_PACE_MS = 10;

const inserts = prepared((store) => {
  const rowOf = ({ seq, runId, body }: typeof messages | typeof events) => {
    return { seq: slot(seq), runId: slot(runId), body: slot(body) };
  };
  return {
    message: store.insert(messages).values(rowOf(messages)).prepare(),
    events: store.insert(events).values(rowOf(events)).prepare(),
  };
});

/**
 * All events of a session, in one order.
 *
 * An event that a message represents is not stored twice: the transcript row is the event. Deltas stay in memory until
 * their message is stored. A reader asks for what comes after its last number, so nothing is buffered for it: it may be
 * slow, and resume after a disconnect.
 *
 * A delta that no reader has seen grows with the next one, and readers are notified of live events at a pace: the first
 * one after a pause at once. So the cost of a reader follows the time that an answer takes, not its number of deltas.
 */
export class EventLog {
  readonly #store: Store;
  #next: number;
  #reserved: number;
  #oldestCursor: number;
  #era = 0;
  /** Nothing is stored up to this number, possibly not even the tables. */
  #emptyUpTo = 0;
  /** In the order of their numbers. */
  #live: AgentEvent[] = [];
  /** Live events up to this number were read, and do not change any more. */
  #seenSeq = 0;
  #pace: ReturnType<typeof setTimeout> | undefined;
  /** Whether readers were not notified of the newest live event yet. */
  #isUnnoticed = false;
  readonly #recent: RecentEvents;
  readonly #waiting = new Set<() => void>();

  /**
   * @param firstSeq the first number that no earlier incarnation can have used
   * @param oldestCursor events up to this number may have been deleted
   */
  constructor(store: Store, firstSeq: number, oldestCursor = 0) {
    this.#store = store;
    this.#next = firstSeq;
    this.#reserved = firstSeq;
    this.#recent = new RecentEvents(firstSeq - 1);
    this.#oldestCursor = oldestCursor;
  }

  /** The number of the newest event. */
  get lastSeq(): number {
    return this.#next - 1;
  }

  /** The number from which a reader of the transcript resumes: no live event comes before it. */
  get settledSeq(): number {
    return (this.#live[0]?.seq ?? this.#next) - 1;
  }

  /** Changes when the session is deleted, which ends all older streams. */
  get era(): number {
    return this.#era;
  }

  /** The number of the newest message of a run; 0 where it has none. */
  lastMessageSeq(run: Pick<OpenRun, "id" | "firstSeq">): number {
    return this.lastMessage(run).seq;
  }

  /** The number of the newest message of a run and when it was stored; 0 where it has none. */
  lastMessage({ id, firstSeq }: Pick<OpenRun, "id" | "firstSeq">): { seq: number; at: number } {
    const ofRun = and(eq(messages.runId, id), gte(messages.seq, firstSeq));
    const at = sql<number | null>`CASE WHEN json_valid(${messages.body}) THEN ${messages.body} ->> '$.at' END`;
    const newest = this.#store
      .select({ seq: messages.seq, at })
      .from(messages)
      .where(ofRun)
      .orderBy(desc(messages.seq));
    const row = newest.limit(1).get();
    return { seq: row?.seq ?? 0, at: row?.at ?? 0 };
  }

  /**
   * Reserves more numbers.
   * @returns the first that is not reserved, which the caller stores in the same commit
   */
  reserve(): number {
    this.#reserved = this.#next + SEQ_RESERVE;
    return this.#reserved;
  }

  /** A commit was rolled back, and its reservation possibly with it: the numbers are reserved again. */
  rolledBack(): void {
    this.#reserved = this.#next;
    this.#recent.clear(this.lastSeq);
  }

  /** Takes a number that was never used. A reservation that this needs is part of the current commit. */
  take(): number {
    if (this.#next >= this.#reserved) {
      this.#store.update(session).set({ reservedSeq: this.reserve() }).run();
    }
    return this.#next++;
  }

  /**
   * Appends a message to the transcript, which is its event too.
   * @returns its number
   */
  append(runId: string, message: Message): number {
    const seq = this.take();
    inserts(this.#store).message.run({ seq, run_id: runId, body: message });
    noteAppended(this.#store, { seq, runId, message });
    this.#live = this.#live.filter((event) => event.runId !== runId || !leadsTo(event, message));
    if (isForPeople(message)) this.#recent.add([{ ...messageEvent(message), runId, seq, ts: message.at }]);
    this.#notify();
    return seq;
  }

  /**
   * Stores events that no message represents, as one row.
   * @returns the number of the last
   */
  record(runId: string, ts: number, bodies: readonly EventBody[]): number {
    const body = bodies.map((event) => ({ ...event, seq: this.take(), ts }));
    const seq = this.lastSeq;
    inserts(this.#store).events.run({ seq, run_id: runId, body });
    this.#recent.add(body.map((event) => ({ ...event, runId })));
    this.#notify();
    return seq;
  }

  /**
   * Publishes a live event to current readers; it is kept only until its message is stored. A delta joins the delta
   * before it, unless that one was read. A tool's update takes the place of the one before it.
   */
  show(runId: string, ts: number, body: EventBody): void {
    if (isUpdate(body)) {
      this.#live = this.#live.filter(
        (event) => !(isUpdate(event) && event.callId === body.callId && event.runId === runId),
      );
    }
    const newest = this.#live.at(-1);
    const isOpen = newest !== undefined && newest.seq === this.lastSeq && newest.seq > this.#seenSeq;
    const grown = isOpen && newest.runId === runId ? joinDeltas(newest, body) : undefined;
    if (grown === undefined) this.#live.push({ ...body, runId, seq: this.take(), ts });
    else this.#live[this.#live.length - 1] = grown;
    this.#isUnnoticed = true;
    if (this.#pace === undefined) this.#notifyAtPace();
  }

  /** Drops the live events of a run that never became a message. */
  forget(runId: string): void {
    this.#live = this.#live.filter((event) => event.runId !== runId);
  }

  /** Stored events up to a number, apart from messages, were deleted. */
  clearedUpTo(seq: number): void {
    this.#oldestCursor = Math.max(this.#oldestCursor, seq);
    this.#recent.clear(this.lastSeq);
  }

  /** The session was deleted. Numbers continue, so that no older cursor matches a new event. */
  end(): void {
    this.#era++;
    this.#emptyUpTo = this.lastSeq;
    this.#live = [];
    this.#recent.clear(this.lastSeq);
    this.#oldestCursor = 0;
    this.#notify();
  }

  /** The session has come from another object, or stays after all: the log goes on as in a new incarnation. */
  restart(firstSeq: number, oldestCursor: number): void {
    this.#next = firstSeq;
    this.#reserved = firstSeq;
    this.#emptyUpTo = 0;
    this.#live = [];
    this.#recent.clear(this.lastSeq);
    this.#oldestCursor = oldestCursor;
  }

  /** The next events after a number, oldest first, at most `limit` stored ones and the live ones between them. */
  read({ limit, run, ...from }: EventRequest): AgentEvent[] {
    const after = Math.max(from.after, this.#emptyUpTo);
    const request = { after, limit, ...(run && { run }) };
    const stored = this.#recent.read(request) ?? readStoredEvents(this.#store, request);
    const live = this.#liveAfter(after).filter(
      ({ seq, runId }) => seq <= stored.upTo && (run === undefined || runId === run.runId),
    );
    this.#seenSeq = Math.max(this.#seenSeq, live.at(-1)?.seq ?? 0);
    if (live.length === 0) return stored.events;
    return stored.events.length === 0 ? live : [...stored.events, ...live].sort((a, b) => a.seq - b.seq);
  }

  #liveAfter(after: number): AgentEvent[] {
    const from = this.#live.findLastIndex(({ seq }) => seq <= after) + 1;
    return this.#live.slice(from);
  }

  /**
   * Checks that no event after a number was deleted, of the whole session or of a run. 0 means the beginning of what is
   * kept.
   * @throws IsopodError `not_found` where no event has this number yet; `gone` where events after it, other than
   * messages, were deleted
   */
  requireCursor(after: number, run?: RunSpan): void {
    if (after > this.lastSeq) {
      const hint = "Read the history and go on from its cursor.";
      throw new IsopodError("not_found", `This session has no event ${after} yet.`, hint);
    }
    const from = Math.max(after, (run?.firstSeq ?? 0) - 1);
    const isOver = run?.endSeq !== undefined && after >= run.endSeq;
    if (after === 0 || from >= this.#oldestCursor || isOver) return;
    const oldestCursor = this.#oldestCursor;
    const hint = `The oldest cursor is ${oldestCursor}. Read the history, which has every message, and go on from its cursor.`;
    throw new IsopodError("gone", `Events after ${after} have been cleared away.`, hint, { oldestCursor });
  }

  /** Calls back on new events, possibly within a commit that may still fail. */
  watch(listener: () => void): void {
    this.#waiting.add(listener);
  }

  /** Resolves on new events, or after `timeoutMs`. */
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

  #notify(): void {
    this.#isUnnoticed = false;
    for (const done of this.#waiting) done();
  }

  /** Notifies of live events now, and again at the next interval if there are more by then. */
  #notifyAtPace(): void {
    this.#pace = undefined;
    if (!this.#isUnnoticed) return;
    this.#notify();
    this.#pace = setTimeout(() => this.#notifyAtPace(), LIVE_PACE_MS);
  }
}

/** A delta and the one that follows as one delta; undefined where they do not belong together. */
function joinDeltas(event: AgentEvent, body: EventBody): AgentEvent | undefined {
  if (event.type !== "assistant" || event.phase !== "delta") return undefined;
  if (body.type !== "assistant" || body.phase !== "delta") return undefined;
  if ("text" in event) return "text" in body ? { ...event, text: event.text + body.text } : undefined;
  return "reasoning" in body ? { ...event, reasoning: event.reasoning + body.reasoning } : undefined;
}

function isUpdate(event: EventBody): event is Extract<ToolEvent, { phase: "update" }> {
  return event.type === "tool" && event.phase === "update";
}

/** Whether a message replaces a live event. */
function leadsTo(event: AgentEvent, message: Message): boolean {
  if (event.type === "assistant") return message.role === "assistant";
  return event.type === "tool" && message.role === "tool" && "callId" in event && event.callId === message.callId;
}

const KEPT = 16;

/** The newest stored events in memory, so that a reader who keeps up reads nothing from storage. */
export class RecentEvents {
  #events: AgentEvent[] = [];
  /** All events after this number are in memory. */
  #after: number;

  constructor(lastSeq: number) {
    this.#after = lastSeq;
  }

  /** Adds the next stored events. */
  add(events: readonly AgentEvent[]): void {
    this.#events.push(...events);
    const removed = this.#events.splice(0, this.#events.length - KEPT).at(-1);
    if (removed !== undefined) this.#after = removed.seq;
  }

  /** The same as `readStoredEvents`; undefined where older events are needed. */
  read({ after, run, limit }: EventRequest): StoredPage | undefined {
    if (Math.max(after, (run?.firstSeq ?? 0) - 1) < this.#after) return undefined;
    const found = this.#events.filter(({ seq, runId }) => seq > after && (run === undefined || runId === run.runId));
    const events = found.slice(0, limit);
    return { events, upTo: found.length > limit ? (events.at(-1)?.seq ?? after) : Number.POSITIVE_INFINITY };
  }

  /** Drops all events up to the newest number. */
  clear(lastSeq: number): void {
    this.#events = [];
    this.#after = lastSeq;
  }
}
