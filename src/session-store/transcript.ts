import { and, asc, desc, eq, gt, gte, lt, lte, sql } from "drizzle-orm";
import { stripSilentToken } from "../agent/silent-token.ts";
import { type AssistantMessage, isForPeople, type Message, messageText, type ToolMessage } from "../models/message.ts";
import { messageLabels } from "../models/view-labels.ts";
import type { SpokenMessage } from "../plugins/hook-map.ts";
import { type MessageRow, messageField, readMessages } from "./message-pages.ts";
import type { EndedConversation } from "./run.ts";
import type { RunRow } from "./runs.ts";
import { messages } from "./schema.ts";
import type { Store } from "./store.ts";

/** Most bytes of JSON in a page, well below the limit of a call between objects. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** How many messages, and bytes of them, an export reads at once. */
const EXPORT_PAGE = 200;
const EXPORT_BYTES = 256 * 1024;

/** A message and its position. */
export type HistoryMessage = Message & { seq: number; runId: string };

/** One page of a transcript, oldest first. */
export interface HistoryPage {
  messages: HistoryMessage[];
  /** Ask for messages before this number to go further back; absent at the beginning. */
  before?: number;
}

/**
 * The newest messages before a number that people see, in reading order. Fewer than `limit` where they are large or
 * hidden ones lie between them; none only at the beginning.
 */
export function readHistory(store: Store, limit: number, before: number | undefined): HistoryPage {
  const where = before === undefined ? undefined : lt(messages.seq, before);
  const page = readMessages(store, { where, orderBy: desc(messages.seq), limit, maxBytes: PAGE_BYTES });
  const shown = page.rows.reverse().filter(isShown);
  if (shown.length === 0 && page.moreAfter !== undefined) return readHistory(store, limit, page.moreAfter);
  return { messages: shown.map(historyMessage), ...(page.moreAfter !== undefined && { before: page.moreAfter }) };
}

/** The messages that people see, from the beginning up to a number, in pages; a page may be empty. */
export function* readAll(store: Store, upTo: number): Generator<HistoryMessage[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const where = and(gt(messages.seq, after), lte(messages.seq, upTo));
    const orderBy = asc(messages.seq);
    const page = readMessages(store, { where, orderBy, limit: EXPORT_PAGE, maxBytes: EXPORT_BYTES });
    yield page.rows.filter(isShown).map(historyMessage);
    after = page.moreAfter;
  }
}

/** The last reply of a run; undefined where it has none. */
export function readLastReply(store: Store, { id, firstSeq, state }: RunRow): AssistantMessage | undefined {
  const lastSeq = "endSeq" in state ? state.endSeq : Number.MAX_SAFE_INTEGER;
  const isReply = sql`${messageField("$.role")} = 'assistant' AND ${messageField("$.inner")} IS NULL`;
  const where = and(gte(messages.seq, firstSeq), lte(messages.seq, lastSeq), eq(messages.runId, id), isReply);
  const row = readMessages(store, { where, orderBy: desc(messages.seq), limit: 1, maxBytes: 0 }).rows[0];
  return row?.message.role === "assistant" ? row.message : undefined;
}

/** The tool result with this number; undefined where there is none. */
export function readResult(store: Store, seq: number): ToolMessage | undefined {
  const orderBy = asc(messages.seq);
  const [row] = readMessages(store, { where: eq(messages.seq, seq), orderBy, limit: 1, maxBytes: 0 }).rows;
  return row?.message.role === "tool" ? row.message : undefined;
}

function isShown({ message }: MessageRow): boolean {
  return isForPeople(message);
}

function historyMessage({ message, seq, runId }: MessageRow): HistoryMessage {
  return { ...message, seq, runId };
}

/** Messages and bytes of one step of the search, and the most steps. */
const SEARCH_PAGE = 100;
const SEARCH_BYTES = 256 * 1024;
const MAX_SEARCH_PAGES = 10;

/**
 * The newest messages of an ended conversation, oldest first; fewer than `limit` where most messages are tool calls.
 */
export function spokenMessages(
  store: Store,
  { fromSeq, beforeSeq }: EndedConversation,
  limit: number,
): SpokenMessage[] {
  const found: SpokenMessage[] = [];
  let before: number | undefined = beforeSeq;
  for (let pages = 0; pages < MAX_SEARCH_PAGES && before !== undefined && found.length < limit; pages++) {
    const where = and(gte(messages.seq, fromSeq), lt(messages.seq, before));
    const page = readMessages(store, {
      where,
      orderBy: desc(messages.seq),
      limit: SEARCH_PAGE,
      maxBytes: SEARCH_BYTES,
    });
    found.push(...page.rows.flatMap(({ message }) => spokenMessage(message) ?? []));
    before = page.moreAfter;
  }
  return found.slice(0, limit).reverse();
}

const SYSTEM = { id: "system" };

/**
 * A message as a participant wrote it; undefined for a command, a tool's output, a silent reply, and a note of the
 * system.
 */
export function spokenMessage(message: Message): SpokenMessage | undefined {
  if (message.aside || !isForPeople(message) || message.role === "tool") return undefined;
  const { role, at } = message;
  if (message.role === "assistant") {
    const text = stripSilentToken(messageText(message));
    const labels = message.labels && { labels: message.labels };
    return text === "" ? undefined : { role, at, text, ...labels };
  }
  // A note of the system to the model has no author.
  const { sender = SYSTEM } = message;
  if (sender.id === SYSTEM.id && message.text.startsWith("[System] ")) return undefined;
  const labels = messageLabels(message);
  const owner = message.sender && { owner: message.sender.owner };
  return { role, at, text: message.text, ...owner, ...(labels.length > 0 && { labels }) };
}
