import { and, desc, gte, lt, sql } from "drizzle-orm";
import { head } from "../lib/text.ts";
import type { Message } from "../models/message.ts";
import { mended } from "./mend.ts";
import { fieldOf, type MessageRow, readMessages } from "./message-pages.ts";
import { messages } from "./schema.ts";
import type { Store } from "./store.ts";

/** Most of a transcript that a model is shown: bytes of JSON, and messages. */
export const MAX_CONTEXT_BYTES = 400_000;
const MAX_CONTEXT_MESSAGES = 1000;
const PAGE = 100;
/** Characters of what somebody asked that are shown where it does not fit. */
const ASKED_CHARS = 20_000;

/** What a model sees of a transcript from a number on, oldest first. */
export function readContext(store: Store, fromSeq: number, maxBytes = MAX_CONTEXT_BYTES): Message[] {
  return mended(contextRows(store, fromSeq, maxBytes).map(({ message }) => message));
}

/** The number of the oldest message that a model sees; undefined where it sees none. */
export function contextStart(store: Store, fromSeq: number): number | undefined {
  return contextRows(store, fromSeq, MAX_CONTEXT_BYTES)[0]?.seq;
}

/**
 * The newest messages, as many as fit, beginning with what somebody said. Where that does not fit, because a run is very
 * long, its beginning is put in front of what does.
 */
function contextRows(store: Store, fromSeq: number, maxBytes: number): MessageRow[] {
  const newest = newestThatFit(store, fromSeq, maxBytes);
  // A result cannot stand first: its call was cut off.
  const start = newest.findIndex(({ message }) => message.role !== "tool");
  const [first, ...rest] = start === -1 ? [] : newest.slice(start);
  if (first === undefined) return [];
  const asked = first.message.role === "user" ? undefined : askedBefore(store, fromSeq, first.seq);
  return asked === undefined ? [first, ...rest] : [asked, first, ...rest];
}

/** Reads from the end and stops early. Every overflow that a model answered with halves what is shown of older times. */
function newestThatFit(store: Store, fromSeq: number, maxBytes: number): MessageRow[] {
  const found: MessageRow[] = [];
  let left = maxBytes;
  for (const row of newestFirst(store, fromSeq)) {
    if (row.message.aside) continue;
    left -= row.bytes;
    // Results stay with their call, however large they are together.
    const mayEnd = found.length > 0 && found.at(-1)?.message.role !== "tool";
    if (mayEnd && (left < 0 || found.length >= MAX_CONTEXT_MESSAGES)) break;
    found.push(row);
    if (row.message.role === "assistant" && row.message.error?.kind === "overflow") left = Math.floor(left / 2);
  }
  return found.reverse();
}

function* newestFirst(store: Store, fromSeq: number): Generator<MessageRow> {
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  while (before !== undefined) {
    const where = and(gte(messages.seq, fromSeq), lt(messages.seq, before));
    const page = readMessages(store, { where, orderBy: desc(messages.seq), limit: PAGE, maxBytes: MAX_CONTEXT_BYTES });
    yield* page.rows;
    before = page.moreAfter;
  }
}

/** The last thing that somebody said before a number. Nothing that lies between is read into memory. */
function askedBefore(store: Store, fromSeq: number, seq: number): MessageRow | undefined {
  const isAsked = sql`${fieldOf("$.role")} = 'user' AND ${fieldOf("$.aside")} IS NULL`;
  const where = and(gte(messages.seq, fromSeq), lt(messages.seq, seq), isAsked);
  const row = readMessages(store, { where, orderBy: desc(messages.seq), limit: 1, maxBytes: 0 }).rows[0];
  if (row?.message.role !== "user") return undefined;
  const { text } = row.message;
  const kept = head(text, ASKED_CHARS);
  if (kept.length === text.length) return row;
  return { ...row, message: { ...row.message, text: `${kept}\n\n[${text.length - kept.length} more characters]` } };
}
