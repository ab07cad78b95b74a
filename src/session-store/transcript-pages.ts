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

/** Bytes of lines, and of JSON that is read for them, after which a page is full; its last message may be larger. */
const PAGE_BYTES = 48_000;
const PAGE_WEIGHT = 4 * 1024 * 1024;

/** Messages, and bytes of them, that are read at once; SQLite takes 100 parameters. */
const BATCH = 100;
const BATCH_BYTES = 1024 * 1024;

/** Most pages of one session that are remembered, the newest. */
const MAX_PAGES = 1000;

/** A page of a transcript, as it is laid out. */
export type PageRow = typeof memoryPages.$inferSelect;

/** Whose transcript is laid out. */
export type PagesOwner = Pick<SessionRow, "sessionId" | "contextSeq">;

/** A message as the lines that memory has of it. */
export type MessageLines = (message: Message) => string[];

/** Tools' messages are no part of it, and need not be read. */
const IS_CHAT_MESSAGE = sql`${messageField("$.role")} IN ('user', 'assistant')`;

/** The pages of a transcript that are laid out, the newest first. */
export function listPages(store: Store): PageRow[] {
  return store.select().from(memoryPages).orderBy(desc(memoryPages.fromSeq)).limit(MAX_PAGES).all();
}

/** Whether anything of a transcript was ever laid out. */
export function hasPages(store: Store): boolean {
  return newestPage(store) !== undefined;
}

/** Up to which message a transcript is laid out; 0 where nothing is. */
function lastPagedSeq(store: Store): number {
  return newestPage(store)?.lastSeq ?? 0;
}

/**
 * Whether so many messages, or bytes of them, were said since a transcript was last laid out, or anything in a conversation
 * that is over. Reads no more messages than are asked about.
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
 * Lays out the messages that come next, as part of the current commit: a bounded number of them. Gives whether there may be
 * more.
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
  // What cannot be read at the end of a batch is passed by.
  if (last !== undefined && moreAfter !== undefined) pages.set(last.fromSeq, { ...last, lastSeq: moreAfter });
  for (const page of pages.values()) {
    store.insert(memoryPages).values(page).onConflictDoUpdate({ target: memoryPages.fromSeq, set: page }).run();
  }
  return moreAfter !== undefined && pages.size > 0;
}

/** The lines of a page, each at its number; undefined where nothing is left of it. Those that are gone are empty. */
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

/** A page by its place; undefined where there is none. */
export function findPage(store: Store, conversation: string, page: number): PageRow | undefined {
  const isIt = and(eq(memoryPages.conversation, conversation), eq(memoryPages.page, page));
  return store.select().from(memoryPages).where(isIt).get();
}

/** Changes whenever the lines of a page do. */
export function pageEtag({ keptSeq, lines, size }: PageRow): string {
  return `${keptSeq}-${lines}-${size}`;
}

/** The messages up to a number are cleared away, in the current commit: what was laid out of them is gone. */
export function cutPages(store: Store, upTo: number): void {
  store
    .update(memoryPages)
    .set({ keptSeq: upTo + 1, stale: true })
    .where(and(lte(memoryPages.keptSeq, upTo), gte(memoryPages.lastSeq, memoryPages.keptSeq)))
    .run();
}

/** The pages that have changed since memory was indexed, the oldest first. */
export function unindexedPages(store: Store): PageRow[] {
  return store
    .select()
    .from(memoryPages)
    .where(sql`${memoryPages.stale} = 1`)
    .orderBy(asc(memoryPages.fromSeq))
    .limit(MAX_PAGES)
    .all();
}

/** Memory knows of pages as they were: of those of which nothing is left, nobody needs to know any more. */
export function markIndexed(store: Store, indexed: readonly PageRow[]): void {
  const newest = newestPage(store);
  for (const page of indexed) {
    const isUnchanged = and(eq(memoryPages.fromSeq, page.fromSeq), eq(memoryPages.lastSeq, page.lastSeq), keptAt(page));
    // The newest one stays: the next page of its conversation has the number after it.
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

/** Of which conversation messages are, by their runs, as far as those say so. */
function conversationIds(store: Store, rows: readonly MessageRow[]): Map<string, string> {
  const ids = [...new Set(rows.map(({ runId }) => runId))];
  const found = store.select({ id: runs.id, state: runs.state }).from(runs).where(inArray(runs.id, ids)).all();
  return new Map(
    found.flatMap(({ id, state }) =>
      state !== undefined && "sessionId" in state && state.sessionId !== undefined ? [[id, state.sessionId]] : [],
    ),
  );
}

/** Most characters of a line, but for who spoke and when; a longer one becomes several. */
const MAX_LINE_CHARS = 600;
/** Characters of a message that are remembered: what is longer was pasted rather than said. */
const MAX_MESSAGE_CHARS = 16_000;
const MAX_NAME_CHARS = 60;

/** Where a sentence ends within a line. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？；]["”’」』）]*/gu;

/**
 * A message as lines of memory: `[2026-11-22 14:03] User: …`, and below it the rest of what was said, without empty lines.
 * None for what nobody said aloud. The same message in the same zone gives the same lines.
 * @param zone whose clocks tell when it was
 */
export function transcriptLines(message: Message, zone: string): string[] {
  const spoken = spokenMessage(message);
  if (spoken === undefined) return [];
  const shown = head(spoken.text, MAX_MESSAGE_CHARS);
  const [first, ...rest] = shown
    .split(/\r\n?|[\n\u2028\u2029]/)
    .flatMap(splitLongLine)
    .filter((line) => line.trim() !== "");
  if (first === undefined) return [];
  const left = spoken.text.length - shown.length;
  return [
    `[${localTime(spoken.at, zone)}] ${speakerName(message)}: ${first}`,
    ...rest,
    ...(left > 0 ? [`[${left} more characters are in the transcript.]`] : []),
  ];
}

/** Who said it; owners are users, and who else speaks is a guest, whatever the name is. */
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

/** Where a long line is broken: after its last sentence that fits, else after a word, in the second half of what fits. */
function breakPoint(line: string): number {
  const fitting = line.slice(0, MAX_LINE_CHARS);
  const ends = [...fitting.matchAll(SENTENCE_END)].map(({ index, 0: mark }) => index + mark.length);
  const least = MAX_LINE_CHARS / 2;
  const end = [ends.at(-1) ?? 0, fitting.lastIndexOf(" ") + 1].find((place) => place > least);
  return end ?? betweenCharacters(line, MAX_LINE_CHARS);
}
