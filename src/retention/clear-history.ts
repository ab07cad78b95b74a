import { asc, lt, lte, sql } from "drizzle-orm";
import { objectNameOf } from "../config/session-ids.ts";
import { contextStart } from "../session-store/conversation-view.ts";
import { readMessages } from "../session-store/message-pages.ts";
import { compactions, messages, outbox, runs } from "../session-store/schema.ts";
import { forgetRuns } from "../session-store/session-index.ts";
import { saveOldestCursor } from "../session-store/session-row.ts";
import { sessionFolder, spillKey } from "../session-store/spill.ts";
import { cutPages } from "../session-store/transcript-pages.ts";
import type { RetentionDeps } from "./retention-deps.ts";

/** Rows that go in one commit, and bytes that are read for it. */
const BATCH = 200;
const BATCH_BYTES = 512 * 1024;

/** Runs are in the order in which they were accepted. */
const ROWID = sql<number>`rowid`;

/** Clears away messages from before an instant, with their large results, but for what a model is still shown. */
export async function clearMessages(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence, log, files } = deps;
  const owner = deps.owner();
  const { agentId, key } = owner;
  const shownFrom = contextStart(store, owner);
  if (shownFrom === undefined) return;
  const folder = sessionFolder(agentId, await objectNameOf(key));
  for (;;) {
    const where = lt(messages.seq, shownFrom);
    const page = readMessages(store, { where, orderBy: asc(messages.seq), limit: BATCH, maxBytes: BATCH_BYTES });
    const old = page.rows.filter(({ message }) => message.at < before);
    // A page of which nothing can be read goes, too: nobody could say how old it is.
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

/** Clears away runs that were accepted before an instant, unless messages of theirs are still there. */
export async function clearRuns(deps: RetentionDeps, before: number): Promise<void> {
  const { store, fence, database } = deps;
  const { key } = deps.owner();
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

/** Clears away deliveries that were settled before an instant. */
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
