import { and, asc, desc, eq, gt, gte, inArray, lte, sql } from "drizzle-orm";
import { betweenCharacters, byteLength, head, wholeHead } from "../lib/text.ts";
import { localTime } from "../lib/zone.ts";
import type { Message } from "../models/message.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { type MessageRow, messageField, readMessages } from "./message-pages.ts";
import { memoryPages, messages, runs } from "./schema.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";
import { spokenMessage } from "./transcript.ts";

/**
 * Bytes of lines, and of the JSON that they are read from, above which a page is full; its last message may exceed
 * them.
 */
const PAGE_BYTES = 48_000;
const PAGE_WEIGHT = 4 * 1024 * 1024;

/** Messages, and bytes of them, in one batch; SQLite takes 100 parameters. */
const BATCH = 100;
const BATCH_BYTES = 1024 * 1024;

/** Most pages of one session that are indexed, the newest. */
const MAX_PAGES = 1000;

/** A stored page. */
export type PageRow = typeof memoryPages.$inferSelect;

/** The session of a transcript. */
export type PagesOwner = Pick<SessionRow, "sessionId" | "contextSeq">;

/** Formats a message as lines for the memory index. */
export type MessageLines = (message: Message) => string[];

/** Tool messages are not indexed. */
const IS_CHAT_MESSAGE = sql`${messageField("$.role")} IN ('user', 'assistant')`;

/** The pages of a transcript, the newest first. */
export function listPages(store: Store): PageRow[] {
  return store.select().from(memoryPages).orderBy(desc(memoryPages.fromSeq)).limit(MAX_PAGES).all();
}

/** Whether a transcript has any page. */
export function hasPages(store: Store): boolean {
  return newestPage(store) !== undefined;
}

/** Number of the last message in a page; 0 where there is none. */
function lastPagedSeq(store: Store): number {
  return newestPage(store)?.lastSeq ?? 0;
}

/**
 * Whether this many messages or bytes were added since the last page, or any message of an ended conversation. Reads no
 * more messages than asked about.
 */
export function hasUnindexedText(store: Store, owner: PagesOwner, delta: { messages: number; bytes: number }): boolean {
  const isNew = and(gt(messages.seq, lastPagedSeq(store)), IS_CHAT_MESSAGE);
  const bytes = sql<number>`octet_length(${messages.body})`;
  const most = Math.max(1, delta.messages);
  const rows = store.select({ seq: messages.seq, bytes }).from(messages).where(isNew).orderBy(asc(messages.seq));
  const found = rows.limit(most).all();
  const [first] = found;
  if (first === undefined) return false;
  const all = found.reduce((sum, row) => sum + row.bytes, 0);
  return found.length === most || all >= delta.bytes || first.seq < owner.contextSeq;
}

/**
 * Adds the next batch of messages to the pages, within the current commit.
 * @returns whether more may follow
 */
export function appendPages(store: Store, owner: PagesOwner, messageLines: MessageLines): boolean {
  const newest = newestPage(store);
  const where = and(gt(messages.seq, newest?.lastSeq ?? 0), IS_CHAT_MESSAGE);
  const request = { where, orderBy: asc(messages.seq), limit: BATCH, maxBytes: BATCH_BYTES };
  const { rows, moreAfter } = readMessages(store, request);
  const conversations = conversationIds(store, rows);
  const pages = new Map<number, PageRow>();
  let last = newest;
  for (const row of rows) {
    const known = row.seq >= owner.contextSeq ? owner.sessionId : conversations.get(row.runId);
    const conversation = known ?? last?.conversation ?? owner.sessionId;
    const page: PageRow = hasSpace(last, conversation) ? last : newPage(row.seq, conversation, last);
    last = withMessage(page, row, messageLines(row.message));
    pages.set(last.fromSeq, last);
  }
  // Unreadable messages at the end of a batch are skipped.
  if (last !== undefined && moreAfter !== undefined) pages.set(last.fromSeq, { ...last, lastSeq: moreAfter });
  for (const page of pages.values()) {
    store.insert(memoryPages).values(page).onConflictDoUpdate({ target: memoryPages.fromSeq, set: page }).run();
  }
  return moreAfter !== undefined && pages.size > 0;
}

/** The lines of a page, each at its number, with empty ones for deleted messages; undefined where nothing is left. */
export function pageLines(store: Store, page: PageRow, messageLines: MessageLines): string[] | undefined {
  if (page.keptSeq > page.lastSeq) return undefined;
  const lines: string[] = [];
  let after: number | undefined = Math.max(page.fromSeq, page.keptSeq) - 1;
  while (after !== undefined) {
    const where = and(gt(messages.seq, after), lte(messages.seq, page.lastSeq), IS_CHAT_MESSAGE);
    const request = { where, orderBy: asc(messages.seq), limit: BATCH, maxBytes: BATCH_BYTES };
    const read = readMessages(store, request);
    lines.push(...read.rows.flatMap(({ message }) => messageLines(message)));
    after = read.moreAfter;
  }
  return [...Array.from({ length: Math.max(0, page.lines - lines.length) }, () => ""), ...lines];
}

/** A page of a conversation by its number; undefined where there is none. */
export function findPage(store: Store, conversation: string, page: number): PageRow | undefined {
  const isIt = and(eq(memoryPages.conversation, conversation), eq(memoryPages.page, page));
  return store.select().from(memoryPages).where(isIt).get();
}

/** Changes with the lines of a page. */
export function pageEtag({ keptSeq, lines, size }: PageRow): string {
  return `${keptSeq}-${lines}-${size}`;
}

/** Messages up to a number were deleted in the current commit: removes them from their pages. */
export function cutPages(store: Store, upTo: number): void {
  store
    .update(memoryPages)
    .set({ keptSeq: upTo + 1, stale: true })
    .where(and(lte(memoryPages.keptSeq, upTo), gte(memoryPages.lastSeq, memoryPages.keptSeq)))
    .run();
}

/** The pages that have changed since they were indexed, the oldest first. */
export function unindexedPages(store: Store): PageRow[] {
  return store
    .select()
    .from(memoryPages)
    .where(sql`${memoryPages.stale} = 1`)
    .orderBy(asc(memoryPages.fromSeq))
    .limit(MAX_PAGES)
    .all();
}

/** Marks pages as indexed, unless they have changed since, and deletes empty ones. */
export function markIndexed(store: Store, indexed: readonly PageRow[]): void {
  const newest = newestPage(store);
  for (const page of indexed) {
    const isUnchanged = and(eq(memoryPages.fromSeq, page.fromSeq), eq(memoryPages.lastSeq, page.lastSeq), keptAt(page));
    // The newest page stays: the next page of its conversation takes the number after it.
    if (page.keptSeq > page.lastSeq && page.fromSeq !== newest?.fromSeq)
      store.delete(memoryPages).where(isUnchanged).run();
    else store.update(memoryPages).set({ stale: false }).where(isUnchanged).run();
  }
}

function keptAt({ keptSeq }: PageRow) {
  return eq(memoryPages.keptSeq, keptSeq);
}

function newestPage(store: Store): PageRow | undefined {
  return store.select().from(memoryPages).orderBy(desc(memoryPages.fromSeq)).limit(1).get();
}

function hasSpace(page: PageRow | undefined, conversation: string): page is PageRow {
  if (page?.conversation !== conversation || page.keptSeq > page.lastSeq) return false;
  return page.size < PAGE_BYTES && page.weight < PAGE_WEIGHT;
}

function newPage(seq: number, conversation: string, before: PageRow | undefined): PageRow {
  const page = before?.conversation === conversation ? before.page + 1 : 1;
  const empty = { lines: 0, size: 0, weight: 0, lastMessageAt: 0, stale: true };
  return { fromSeq: seq, lastSeq: seq, keptSeq: seq, conversation, page, ...empty };
}

function withMessage(page: PageRow, { seq, message, bytes }: MessageRow, lines: readonly string[]): PageRow {
  return {
    ...page,
    lastSeq: seq,
    lines: page.lines + lines.length,
    size: lines.reduce((size, line) => size + byteLength(line) + 1, page.size),
    weight: page.weight + bytes,
    lastMessageAt: Math.max(page.lastMessageAt, message.at),
    stale: page.stale || lines.length > 0,
  };
}

/** The conversation of each run, where the run has one. */
function conversationIds(store: Store, rows: readonly MessageRow[]): Map<string, string> {
  const ids = [...new Set(rows.map(({ runId }) => runId))];
  const found = store.select({ id: runs.id, state: runs.state }).from(runs).where(inArray(runs.id, ids)).all();
  return new Map(
    found.flatMap(({ id, state }) =>
      state !== undefined && "sessionId" in state && state.sessionId !== undefined ? [[id, state.sessionId]] : [],
    ),
  );
}

/** Most characters of a line without time and speaker; a longer one is split. */
const MAX_LINE_CHARS = 600;
/** Characters of a message that are indexed: the rest of a longer one is probably pasted. */
const MAX_MESSAGE_CHARS = 16_000;
const MAX_NAME_CHARS = 60;

/** Where a sentence ends within a line. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？；]["”’」』）]*/gu;

/**
 * A message as lines for the memory index: `[2026-11-22 14:03] User: …`, then its other lines without empty ones. None
 * for a message that is not part of the conversation. The result depends on message and zone only.
 * @param zone time zone of the shown time
 */
export function transcriptLines(message: Message, zone: string): string[] {
  const spoken = spokenMessage(message);
  if (spoken === undefined) return [];
  const shown = head(spoken.text, MAX_MESSAGE_CHARS);
  const [first, ...rest] = shown
    .split(/\r\n?|[\n\u2028\u2029]/)
    .flatMap(splitLongLine)
    .filter((line) => line.trim() !== "")
    // No later line can look like the beginning of another message.
    .map((line) => line.replace(/^(?=\s*\[\d{4}-)/, "> "));
  if (first === undefined) return [];
  const left = spoken.text.length - shown.length;
  return [
    `[${localTime(spoken.at, zone)}] ${speakerName(message)}: ${first}`,
    ...rest,
    ...(left > 0 ? [`[${left} more characters are in the transcript.]`] : []),
  ];
}

/** The speaker of a message: owners are users, all others guests, whatever their name is. */
function speakerName(message: Message): string {
  if (message.role !== "user") return "Assistant";
  const { owner, name = "" } = message.sender ?? { owner: true };
  const shown = wholeHead(sanitizeForPrompt(name).replaceAll(":", " ").trim(), MAX_NAME_CHARS);
  return `${owner ? "User" : "Guest"}${shown === "" ? "" : ` ${shown}`}`;
}

function splitLongLine(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE_CHARS) {
    const end = breakPoint(rest);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest.trimEnd()];
}

/**
 * Where a long line is split: after the last sentence that fits, or else after a word, in the second half of what fits.
 */
function breakPoint(line: string): number {
  const fitting = line.slice(0, MAX_LINE_CHARS);
  const ends = [...fitting.matchAll(SENTENCE_END)].map(({ index, 0: mark }) => index + mark.length);
  const least = MAX_LINE_CHARS / 2;
  const end = [ends.at(-1) ?? 0, fitting.lastIndexOf(" ") + 1].find((place) => place > least);
  return end ?? betweenCharacters(line, MAX_LINE_CHARS);
}
