import { asc, desc, lt, lte, sql } from "drizzle-orm";
import { objectNameOf } from "../config/session-ids.ts";
import type { Services } from "../services/services.ts";
import { contextStart } from "../session-store/conversation-view.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import { readMessages } from "../session-store/message-pages.ts";
import { dropPrompts } from "../session-store/prompt-rows.ts";
import { compactions, events, messages, outbox, runs } from "../session-store/schema.ts";
import { forgetRuns } from "../session-store/session-index.ts";
import { type SessionRow, saveOldestCursor } from "../session-store/session-row.ts";
import { sessionFolder, spillKey } from "../session-store/spill.ts";
import type { Store } from "../session-store/store.ts";
import { cutPages } from "../session-store/transcript-pages.ts";

/** Dependencies of retention. */
export interface RetentionDeps {
  store: Store;
  fence: Fence;
  log: EventLog;
  database: D1Database;
  files: R2Bucket;
  session(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Pick<Services, "config">;
  /** Hashes of the prompts that models are being sent: they are kept. */
  promptsInUse(): ReadonlySet<string>;
  now(): number;
}

/** Rows of one commit, and bytes that are read for it. */
const BATCH = 200;
const BATCH_BYTES = 512 * 1024;

/** Runs are in the order in which they were accepted. */
const ROWID = sql<number>`rowid`;

/** Deletes messages from before an instant, with their spilled results, apart from those that the model still sees. */
export async function clearMessages(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence, log, files } = deps;
  const owner = deps.session();
  const { agentId, key } = owner;
  const shownFrom = contextStart(store, owner);
  if (shownFrom === undefined) return;
  const folder = sessionFolder(agentId, await objectNameOf(key));
  for (;;) {
    const where = lt(messages.seq, shownFrom);
    const page = readMessages(store, { where, orderBy: asc(messages.seq), limit: BATCH, maxBytes: BATCH_BYTES });
    const old = page.rows.filter(({ message }) => message.at < before);
    // A page without readable messages is deleted too: its age is unknown.
    const last = page.rows.length === 0 ? page.moreAfter : old.at(-1)?.seq;
    if (last === undefined) return;
    const spills = old.flatMap(({ message }) => (message.role === "tool" && message.spill ? [message.spill.id] : []));
    if (spills.length > 0) await files.delete(spills.map((id) => spillKey(folder, id)));
    fence.write(() => {
      store.delete(messages).where(lte(messages.seq, last)).run();
      store.delete(compactions).where(lte(compactions.seq, last)).run();
      cutPages(store, last);
      saveOldestCursor(store, last);
    });
    log.clearedUpTo(last);
    if (page.moreAfter !== last) return;
    await scheduler.wait(0);
  }
}

/** Deletes runs that were accepted before an instant, unless messages of theirs are kept. */
export async function clearRuns(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence, database } = deps;
  const { key } = deps.session();
  const kept = store.select({ runId: messages.runId }).from(messages).orderBy(asc(messages.seq)).limit(1).get();
  for (;;) {
    const { id, open, acceptedAt } = runs;
    const rows = store.select({ rowid: ROWID, id, open, acceptedAt }).from(runs).orderBy(ROWID).limit(BATCH).all();
    const end = rows.findIndex((row) => row.id === kept?.runId || row.open || row.acceptedAt >= before);
    const last = (end === -1 ? rows : rows.slice(0, end)).at(-1);
    if (last === undefined) return;
    await forgetRuns(database, key, last.acceptedAt);
    fence.write(() => store.delete(runs).where(lte(ROWID, last.rowid)).run());
    if (end !== -1) return;
    await scheduler.wait(0);
  }
}

/** Deletes deliveries that were settled before an instant. */
export async function clearDeliveries(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence } = deps;
  for (;;) {
    const { id, status, dueAt } = outbox;
    const rows = store.select({ id, status, dueAt }).from(outbox).orderBy(asc(id)).limit(BATCH).all();
    const isKept = (row: (typeof rows)[number]) =>
      row.status === "pending" || row.status === "sending" || row.dueAt >= before;
    const end = rows.findIndex(isKept);
    const last = (end === -1 ? rows : rows.slice(0, end)).at(-1)?.id;
    if (last === undefined) return;
    fence.write(() => store.delete(outbox).where(lte(id, last)).run());
    if (end !== -1) return;
    await scheduler.wait(0);
  }
}

/** Most rows of events that are kept. */
export const MAX_EVENT_ROWS = 5000;

/**
 * Deletes events, other than messages, from before an instant, and the oldest above the maximum. From then on an older
 * cursor is answered with `gone`.
 */
export async function clearEvents({ store, fence, log }: RetentionDeps, before: number): Promise<void> {
  const newestFirst = store.select({ seq: events.seq }).from(events).orderBy(desc(events.seq));
  const surplusSeq = newestFirst.limit(1).offset(MAX_EVENT_ROWS).get()?.seq ?? 0;
  const ts = sql<number | null>`CASE WHEN json_valid(${events.body}) THEN ${events.body} ->> '$[#-1].ts' END`;
  for (;;) {
    const rows = store.select({ seq: events.seq, ts }).from(events).orderBy(asc(events.seq)).limit(BATCH).all();
    const last = rows.findLast((row) => row.seq <= surplusSeq || (row.ts ?? before) < before)?.seq;
    if (last === undefined) return;
    fence.write(() => {
      store.delete(events).where(lte(events.seq, last)).run();
      saveOldestCursor(store, last);
    });
    log.clearedUpTo(last);
    if (last !== rows.at(-1)?.seq) return;
    await scheduler.wait(0);
  }
}

/**
 * Deletes prompts from before an instant that no run refers to. The rows go first, so that no row refers to a missing
 * object.
 */
export async function clearPrompts(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence, files, promptsInUse } = deps;
  const { agentId, key } = deps.session();
  const folder = sessionFolder(agentId, await objectNameOf(key));
  const spills = fence.write(() => dropPrompts(store, before, promptsInUse()));
  if (spills.length > 0) await files.delete(spills.map((id) => spillKey(folder, id)));
}
