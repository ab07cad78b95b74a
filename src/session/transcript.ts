import { and, count, desc, eq, gte, lt } from "drizzle-orm";
import type { AssistantMessage, Message } from "../models/message.ts";
import { messages } from "./schema.ts";
import type { Store } from "./store.ts";

const PAGE = 50;

/** A message where it stands. */
export type HistoryMessage = Message & { seq: number; runId: string };

/** One page of a transcript, oldest first. */
export interface HistoryPage {
  messages: HistoryMessage[];
  /** Ask for messages before this number to go further back; absent at the beginning. */
  before?: number;
}

/** The newest messages before a number, in reading order. */
export function readHistory(store: Store, limit: number, before: number | undefined): HistoryPage {
  const rows = store
    .select()
    .from(messages)
    .where(before === undefined ? undefined : lt(messages.seq, before))
    .orderBy(desc(messages.seq))
    .limit(limit + 1)
    .all();
  const page = rows.slice(0, limit).reverse();
  const oldest = page[0];
  return {
    messages: page.map((row) => ({ ...row.body, seq: row.seq, runId: row.runId })),
    ...(rows.length > limit && oldest && { before: oldest.seq }),
  };
}

/**
 * What a model sees of a transcript: its newest messages within `maxChars` characters of JSON, beginning with what
 * somebody said, so that no result stands without its call. It reads from the end and stops early: a transcript may
 * be far larger than memory.
 */
export function readContext(store: Store, fromSeq: number, maxChars: number): Message[] {
  const found: Message[] = [];
  let chars = 0;
  for (const message of newestFirst(store, fromSeq)) {
    chars += JSON.stringify(message).length;
    if (chars > maxChars && found.some((kept) => kept.role === "user")) break;
    found.push(message);
  }
  found.reverse();
  return found.slice(
    Math.max(
      0,
      found.findIndex((message) => message.role === "user"),
    ),
  );
}

function* newestFirst(store: Store, fromSeq: number): Generator<Message> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = store
      .select()
      .from(messages)
      .where(and(gte(messages.seq, fromSeq), lt(messages.seq, before)))
      .orderBy(desc(messages.seq))
      .limit(PAGE)
      .all();
    for (const row of rows) if (!row.body.aside) yield row.body;
    const oldest = rows.at(-1);
    if (oldest === undefined || rows.length < PAGE) return;
    before = oldest.seq;
  }
}

/** The last reply of a run; undefined where it has none. */
export function readLastReply(store: Store, runId: string): AssistantMessage | undefined {
  for (const row of store.select().from(messages).where(eq(messages.runId, runId)).orderBy(desc(messages.seq)).all()) {
    if (row.body.role === "assistant") return row.body;
  }
  return undefined;
}

/** How many messages a transcript has. */
export function countMessages(store: Store): number {
  return store.select({ count: count() }).from(messages).get()?.count ?? 0;
}
