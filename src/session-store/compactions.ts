import { and, count, desc, eq, gte, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { compactions, session } from "./schema.ts";
import { readSessionRow } from "./session-row.ts";
import { keptValue, prepared, type Store, slot } from "./store.ts";
import type { Compaction } from "./stored-shapes.ts";

/** A summary and its position in the transcript. */
export interface CompactionRow {
  /** Number of the event that announced the summary. */
  seq: number;
  /** The oldest message that is not summarized. */
  keptSeq: number;
  compaction: Compaction;
}

const newest = prepared((store) =>
  store
    .select()
    .from(compactions)
    .where(and(gte(compactions.seq, slot(compactions.seq)), gte(compactions.keptSeq, slot(compactions.seq))))
    .orderBy(desc(compactions.seq))
    .limit(1)
    .prepare(),
);

/**
 * The summary of the conversation that began at a number; undefined where it has none. An unreadable one counts as
 * none: then the model sees the summarized messages, as far as they fit.
 */
export function readCompaction(store: Store, contextSeq: number): CompactionRow | undefined {
  const kept = lastRead(store);
  if (kept.found?.contextSeq !== contextSeq) kept.found = { contextSeq, row: readNewest(store, contextSeq) };
  return kept.found.row;
}

const lastRead = keptValue(["insert compactions", "update compactions", "delete compactions"], () => ({
  found: undefined as { contextSeq: number; row: CompactionRow | undefined } | undefined,
}));

function readNewest(store: Store, contextSeq: number): CompactionRow | undefined {
  const row = newest(store).get({ seq: contextSeq });
  if (row === undefined) return undefined;
  const { seq, keptSeq, body } = row;
  if (body !== undefined) return { seq, keptSeq, compaction: body };
  log("error", "compaction.unreadable", { seq });
  return undefined;
}

/**
 * Adds a summary, within the fence. Token counts that a provider reported before it do not apply to the new context.
 */
export function saveCompaction(store: Store, runId: string, { seq, keptSeq, compaction }: CompactionRow): void {
  store.insert(compactions).values({ seq, runId, keptSeq, body: compaction }).run();
  store.update(session).set({ viewSeq: seq }).run();
}

/** Whether no memory flush has run since the last summary. */
export function isFlushDue(store: Store): boolean {
  const owner = readSessionRow(store);
  if (owner === undefined) return false;
  const since = readCompaction(store, owner.contextSeq)?.seq ?? owner.contextSeq;
  return owner.flushedSeq < since;
}

/** The summary that a run made; undefined where it made none. */
export function compactionBy(store: Store, runId: string): Compaction | undefined {
  const isIts = eq(compactions.runId, runId);
  return store.select().from(compactions).where(isIts).orderBy(desc(compactions.seq)).limit(1).get()?.body;
}

/** How often the current conversation was summarized. */
export function countCompactions(store: Store): number {
  const isCurrent = gte(compactions.seq, sql`(SELECT ${session.contextSeq} FROM ${session})`);
  return store.select({ count: count() }).from(compactions).where(isCurrent).get()?.count ?? 0;
}
