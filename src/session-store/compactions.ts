import { and, count, desc, eq, gte, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { compactions, session } from "./schema.ts";
import { readSessionRow } from "./session-row.ts";
import { prepared, type Store, slot } from "./store.ts";
import type { Compaction } from "./stored-shapes.ts";

/** A summary where it stands. */
export interface CompactionRow {
  /** Number of the event that announced it. */
  seq: number;
  /** The oldest message that stays as it is. */
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
 * The summary of the conversation that began at a number; undefined where it has none. One that cannot be read is none:
 * then the model sees what it stood for, as far as that fits.
 */
export function readCompaction(store: Store, contextSeq: number): CompactionRow | undefined {
  const row = newest(store).get({ seq: contextSeq });
  if (row === undefined) return undefined;
  const { seq, keptSeq, body } = row;
  if (body !== undefined) return { seq, keptSeq, compaction: body };
  log("error", "compaction.unreadable", { seq });
  return undefined;
}

/** Adds a summary, within the fence. What a provider counted before was another context. */
export function saveCompaction(store: Store, runId: string, { seq, keptSeq, compaction }: CompactionRow): void {
  store.insert(compactions).values({ seq, runId, keptSeq, body: compaction }).run();
  store.update(session).set({ viewSeq: seq }).run();
}

/** Whether the agent has not been let write down what is worth keeping since the last summary. */
export function isFlushDue(store: Store): boolean {
  const owner = readSessionRow(store);
  if (owner === undefined) return false;
  const since = readCompaction(store, owner.contextSeq)?.seq ?? owner.contextSeq;
  return owner.flushedSeq < since;
}

/** The summary that a run has made; undefined where it has made none. */
export function compactionBy(store: Store, runId: string): Compaction | undefined {
  const isIts = eq(compactions.runId, runId);
  return store.select().from(compactions).where(isIts).orderBy(desc(compactions.seq)).limit(1).get()?.body;
}

/** How often the conversation that is going on was summarized. */
export function countCompactions(store: Store): number {
  const isCurrent = gte(compactions.seq, sql`(SELECT ${session.contextSeq} FROM ${session})`);
  return store.select({ count: count() }).from(compactions).where(isCurrent).get()?.count ?? 0;
}
