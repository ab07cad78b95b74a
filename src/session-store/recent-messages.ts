import { and, desc, gte, lt } from "drizzle-orm";
import { byteLength } from "../lib/text.ts";
import type { Message } from "../models/message.ts";
import { type MessageRow, readMessages } from "./message-pages.ts";
import { messages } from "./schema.ts";
import { keptValue, type Store } from "./store.ts";

/** Most bytes of JSON that an object keeps in memory; older messages are read when they are needed. */
const MAX_KEPT_BYTES = 1_000_000;
const PAGE = 100;
const PAGE_BYTES = 1_000_000;

/**
 * The newest messages of a session, as far as this incarnation has read or written them: so a turn reads only what is
 * new, and what was computed of a message stays with it.
 */
class RecentMessages {
  /** Oldest first. */
  readonly rows: MessageRow[] = [];
  /** Every message from this number on is in `rows`. */
  from = Number.POSITIVE_INFINITY;
  #bytes = 0;

  append(row: MessageRow): void {
    this.rows.push(row);
    this.#bytes += row.bytes;
    this.from = Math.min(this.from, row.seq);
    while (this.#bytes > MAX_KEPT_BYTES) {
      this.#bytes -= this.rows.shift()?.bytes ?? 0;
      this.from = this.rows[0]?.seq ?? Number.POSITIVE_INFINITY;
    }
  }

  /** Adds the messages between a number and the oldest one. Returns whether there was space. */
  prepend(newestFirst: readonly MessageRow[], from: number): boolean {
    const bytes = newestFirst.reduce((sum, row) => sum + row.bytes, 0);
    if (this.#bytes + bytes > MAX_KEPT_BYTES) return false;
    this.rows.unshift(...newestFirst.toReversed());
    this.#bytes += bytes;
    this.from = from;
    return true;
  }
}

const recentMessages = keptValue(["update messages", "delete messages"], () => new RecentMessages());

/** Notes a message that was appended to the transcript, in the form in which it is stored. */
export function noteAppended(store: Store, { seq, runId, message }: Omit<MessageRow, "bytes">): void {
  const body = JSON.stringify(message);
  const stored: Message = JSON.parse(body);
  recentMessages(store).append({ seq, runId, message: stored, bytes: byteLength(body) });
}

/** The messages from a number on, newest first. They are read in pages, as far as the caller asks for them. */
export function* newestFirst(store: Store, fromSeq: number): Generator<MessageRow> {
  const recent = recentMessages(store);
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  if (recent.from <= before) {
    yield* recent.rows.filter(({ seq }) => seq >= fromSeq).reverse();
    before = recent.from > fromSeq ? recent.from : undefined;
  }
  let isNext = true;
  while (before !== undefined) {
    const where = and(gte(messages.seq, fromSeq), lt(messages.seq, before));
    const page = readMessages(store, { where, orderBy: desc(messages.seq), limit: PAGE, maxBytes: PAGE_BYTES });
    isNext = isNext && recent.prepend(page.rows, page.moreAfter ?? fromSeq);
    yield* page.rows;
    before = page.moreAfter;
  }
}
