import { and, desc, gte, lt, sql } from "drizzle-orm";
import type { PruningRules } from "../agent/context-rules.ts";
import type { View } from "../agent/journal.ts";
import { pruneMedia, pruneResult } from "../agent/pruning.ts";
import { summaryForModel } from "../agent/summary-prompt.ts";
import { byteLength, head } from "../lib/text.ts";
import type { Message, UserMessage } from "../models/message.ts";
import { type CompactionRow, readCompaction } from "./compactions.ts";
import { type MessageRow, messageField, readMessages } from "./message-pages.ts";
import { newestFirst } from "./recent-messages.ts";
import { repairMessages } from "./repair-messages.ts";
import { messages } from "./schema.ts";
import type { SessionRow } from "./session-row.ts";
import { wholeResultPath } from "./spill.ts";
import type { Store } from "./store.ts";

/**
 * Most of a transcript that a model sees: bytes of JSON, and messages. 200,000 tokens take fewer bytes in any language.
 */
export const MAX_CONTEXT_BYTES = 2_000_000;
const MAX_CONTEXT_MESSAGES = 2000;
/** Most bytes that are read for it; a result is read whole before it is shortened. */
const MAX_READ_BYTES = 4 * MAX_CONTEXT_BYTES;
/** Share of these bounds from which a view counts as full. */
const FULL_SHARE = 0.9;
/** Bytes that remain after a model refused a request for its size and nothing else helped; halved with each refusal. */
const REFUSED_BYTES = 400_000;
/** Characters of the last question that are shown where it does not fit, alone and beside a summary. */
const QUESTION_CHARS = 20_000;
const SUMMARIZED_QUESTION_CHARS = 4_000;

/** The part of a transcript that a model sees. */
export type ContextExtent = Pick<SessionRow, "contextSeq" | "prunedSeq" | "viewSeq">;

/** How messages are shown to a model. */
export interface ViewOptions {
  /** How results before `prunedSeq` are shortened, and files left out; absent where they are not. */
  pruning?: PruningRules | undefined;
  /** From this number on, inner messages (of a memory flush) are included; absent where none are. */
  innerFrom?: number | undefined;
  maxBytes?: number;
}

/** The messages that a model sees: the summary of older ones, if any, and the newest ones. */
export function readView(store: Store, extent: ContextExtent, options: ViewOptions = {}): View {
  const { summary, question, rows, isFull } = readRows(store, extent, options);
  const pinned = [...(summary ? [shownSummary(summary)] : []), ...(question ? [question.message] : [])];
  const messages = repairMessages([...pinned, ...rows.map(({ message }) => message)]);
  const counted = rows.find(({ seq, message }) => seq > extent.viewSeq && message.role !== "tool")?.message.id;
  const countedFrom = counted === undefined ? -1 : messages.findIndex(({ id }) => id === counted);
  return {
    messages,
    pinned: pinned.length,
    ...(summary && { summary: summary.compaction.summary }),
    countedFrom: countedFrom === -1 ? messages.length : countedFrom,
    isFull,
  };
}

/** The number of the oldest message that a model sees; undefined where it sees none. */
export function contextStart(store: Store, extent: ContextExtent): number | undefined {
  const { question, rows } = readRows(store, extent, {});
  return question?.seq ?? rows[0]?.seq;
}

const SUMMARY_ID = "msg_summary_";

/** Whether a message is the summary of older ones. */
export function isSummary({ id }: Pick<Message, "id">): boolean {
  return id.startsWith(SUMMARY_ID);
}

/** The summary as a message, with the same bytes for as long as it is valid (prompt caching). */
function shownSummary({ seq, compaction: { at, summary } }: CompactionRow): UserMessage {
  return { role: "user", id: `${SUMMARY_ID}${seq}`, at, text: summaryForModel(summary) };
}

interface Rows {
  summary?: CompactionRow;
  /** The last question before the other rows, where they do not begin with a user's message. */
  question?: MessageRow;
  rows: MessageRow[];
  isFull: boolean;
}

/** The newest messages that fit. In a run so long that its question does not fit, the question is put in front. */
function readRows(store: Store, extent: ContextExtent, options: ViewOptions): Rows {
  const summary = readCompaction(store, extent.contextSeq);
  const { newest, isFull } = newestThatFit(store, extent, summary, options);
  // A result cannot come first: its call was cut off.
  const start = newest.findIndex(({ message }) => message.role !== "tool");
  const rows = start === -1 ? [] : newest.slice(start);
  const first = rows[0];
  const found = { ...(summary && { summary }), rows, isFull };
  if (first === undefined || first.message.role === "user") return found;
  const maxChars = summary === undefined ? QUESTION_CHARS : SUMMARIZED_QUESTION_CHARS;
  const question = lastQuestionBefore(store, extent.contextSeq, first.seq, maxChars);
  return { ...found, ...(question && { question }) };
}

/** Reads from the end and stops early. */
function newestThatFit(store: Store, extent: ContextExtent, summary: CompactionRow | undefined, options: ViewOptions) {
  const { maxBytes = MAX_CONTEXT_BYTES, pruning, innerFrom = Number.POSITIVE_INFINITY } = options;
  const found: MessageRow[] = [];
  let left = maxBytes;
  let toRead = MAX_READ_BYTES;
  let isCut = false;
  let isRetried = false;
  let quietFrom = Number.POSITIVE_INFINITY;
  for (const row of newestFirst(store, summary?.keptSeq ?? extent.contextSeq)) {
    toRead -= row.bytes;
    const { message } = row;
    if (message.role === "assistant" && message.quietFrom !== undefined) quietFrom = message.quietFrom;
    if (row.seq >= quietFrom && row.seq < innerFrom) continue;
    quietFrom = Number.POSITIVE_INFINITY;
    isRetried ||= message.role === "user" && message.retries === true;
    if (isRetried && hasFailed(message)) continue;
    isRetried &&= message.aside === true;
    if (message.aside || (message.inner && row.seq < innerFrom)) continue;
    const shown = row.seq < extent.prunedSeq && pruning !== undefined ? shortenedRow(row, pruning) : row;
    left -= shown.bytes;
    // Results stay with their call, whatever their size.
    const mayEnd = found.length > 0 && found.at(-1)?.message.role !== "tool";
    isCut = mayEnd && (left < 0 || toRead < 0 || found.length >= MAX_CONTEXT_MESSAGES);
    if (isCut) break;
    found.push(shown);
    if (isRefusal(message) && row.seq > (summary?.seq ?? 0)) left = Math.floor(Math.min(left, REFUSED_BYTES) / 2);
  }
  const isFull = isCut || left < (1 - FULL_SHARE) * maxBytes || found.length > FULL_SHARE * MAX_CONTEXT_MESSAGES;
  return { newest: found.reverse(), isFull };
}

/** Whether an answer did not come to its end. */
function hasFailed(message: Message): boolean {
  return message.role === "assistant" && (message.error !== undefined || message.stop === "aborted");
}

/** Whether a model refused a request for its size and answered nothing else. */
function isRefusal(message: Message): boolean {
  return message.role === "assistant" && message.error?.kind === "overflow";
}

function shortenedRow(row: MessageRow, pruning: PruningRules): MessageRow {
  if (row.message.role === "user") return { ...row, message: pruneMedia(row.message) };
  if (row.message.role !== "tool") return row;
  const where = `Use read on ${wholeResultPath(row.seq, row.message.spill)} to see it whole.`;
  const message = pruneResult(row.message, pruning, where);
  return message === row.message ? row : { ...row, message, bytes: byteLength(JSON.stringify(message)) };
}

/** The last user message before a number. The messages between are not loaded. */
function lastQuestionBefore(store: Store, fromSeq: number, seq: number, maxChars: number): MessageRow | undefined {
  const isAsked = sql`${messageField("$.role")} = 'user' AND ${messageField("$.aside")} IS NULL AND ${messageField("$.inner")} IS NULL`;
  const where = and(gte(messages.seq, fromSeq), lt(messages.seq, seq), isAsked);
  const row = readMessages(store, { where, orderBy: desc(messages.seq), limit: 1, maxBytes: 0 }).rows[0];
  if (row?.message.role !== "user") return undefined;
  const { text } = row.message;
  const kept = head(text, maxChars);
  if (kept.length === text.length) return row;
  return { ...row, message: { ...row.message, text: `${kept}\n\n[${text.length - kept.length} more characters]` } };
}
