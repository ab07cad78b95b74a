import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import type { AgentEvent, EventBody } from "../agent/events.ts";
import { log } from "../lib/log.ts";
import { isForPeople, type Message } from "../models/message.ts";
import { fitting, readMessages } from "./message-pages.ts";
import type { OpenRun } from "./runs.ts";
import { events, messages } from "./schema.ts";
import type { Store } from "./store.ts";
import type { StoredEvent } from "./stored-shapes.ts";

/** Most bytes of JSON that are read at once. */
const PAGE_BYTES = 512 * 1024;

/** A run and the range of its events, so that no others are read. */
export interface RunSpan {
  runId: string;
  firstSeq: number;
  /** Number of its last event; undefined while it is open. */
  endSeq: number | undefined;
}

/** The range of a run's events. */
export function runSpan({ id: runId, firstSeq, state }: OpenRun): RunSpan {
  return { runId, firstSeq, endSeq: "endSeq" in state ? state.endSeq : undefined };
}

/** The events after a number, of the whole session or of one run. */
export interface EventRequest {
  after: number;
  run?: RunSpan;
  limit: number;
}

/** Stored events in order; up to `upTo` there are no others. */
export interface StoredPage {
  events: AgentEvent[];
  upTo: number;
}

/**
 * The next stored events after a number, from the two tables that hold them. Unreadable ones are skipped. A page may
 * have fewer than `limit` where more follow, but is empty only at the end.
 */
export function readStoredEvents(store: Store, { after, run, limit }: EventRequest): StoredPage {
  let from = Math.max(after, (run?.firstSeq ?? 0) - 1);
  const last = run?.endSeq ?? Number.MAX_SAFE_INTEGER;
  for (;;) {
    const inMessages = and(gt(messages.seq, from), lte(messages.seq, last), run && eq(messages.runId, run.runId));
    const orderBy = asc(messages.seq);
    const messagePage = readMessages(store, { where: inMessages, orderBy, limit, maxBytes: PAGE_BYTES });
    const inEvents = and(gt(events.seq, from), lte(events.seq, last), run && eq(events.runId, run.runId));
    const eventPage = readEventRows(store, inEvents, limit);
    const upTo = Math.min(
      messagePage.moreAfter ?? Number.POSITIVE_INFINITY,
      eventPage.moreAfter ?? Number.POSITIVE_INFINITY,
    );
    const found = [
      ...messagePage.rows
        .filter(({ message }) => isForPeople(message))
        .map(({ seq, runId, message }) => ({ ...messageEvent(message), runId, seq, ts: message.at })),
      ...eventPage.events,
    ];
    const page = found.filter(({ seq }) => seq > after && seq <= upTo).sort((a, b) => a.seq - b.seq);
    if (page.length > limit) return { events: page.slice(0, limit), upTo: page[limit - 1]?.seq ?? upTo };
    if (page.length > 0 || upTo === Number.POSITIVE_INFINITY) return { events: page, upTo };
    from = upTo;
  }
}

function readEventRows(
  store: Store,
  where: SQL | undefined,
  limit: number,
): { events: AgentEvent[]; moreAfter: number | undefined } {
  const bytes = sql<number>`octet_length(${events.body})`;
  const orderBy = asc(events.seq);
  const sizes = store
    .select({ bytes })
    .from(events)
    .where(where)
    .orderBy(orderBy)
    .limit(limit + 1)
    .all();
  const count = fitting(sizes, limit, PAGE_BYTES);
  const rows = store.select().from(events).where(where).orderBy(orderBy).limit(count).all();
  return { events: rows.flatMap(eventsIn), moreAfter: count < sizes.length ? rows.at(-1)?.seq : undefined };
}

function eventsIn({ seq, runId, body }: { seq: number; runId: string; body: StoredEvent[] | undefined }): AgentEvent[] {
  if (body !== undefined) return body.map((event) => ({ ...event, runId }));
  log("error", "events.unreadable", { seq, runId });
  return [];
}

/** The event that a message represents. */
export function messageEvent(message: Message): EventBody {
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
