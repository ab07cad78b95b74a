import { and, desc, eq, lt, lte, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import type { Process, ProcessPhase } from "./process.ts";
import { processes } from "./schema.ts";
import { cachedRead, prepared, type Store } from "./store.ts";

/** Most processes that are kept, those that run among them. */
const MAX_KEPT = 20;

/** A stored process. */
export interface ProcessRow {
  /** 1, 2, 3 … within a session. */
  id: number;
  /** The run that started it. */
  runId: string;
  process: Process;
}

const OPEN = sql`${processes.open} = 1`;

const openRows = prepared((store) => store.select().from(processes).where(OPEN).orderBy(processes.id).prepare());

/** The processes that run, or that an earlier incarnation has left, the oldest first. */
export const runningProcesses = cachedRead((store): readonly ProcessRow[] => openRows(store).all().flatMap(readable));

/** All processes that are kept, the oldest first. */
export function keptProcesses(store: Store): ProcessRow[] {
  return store.select().from(processes).orderBy(processes.id).all().flatMap(readable);
}

export function findProcess(store: Store, id: number): ProcessRow | undefined {
  return store.select().from(processes).where(eq(processes.id, id)).all().flatMap(readable)[0];
}

/** Stores a process that starts, and deletes the oldest ones beyond those that are kept. @returns its number */
export function addProcess(store: Store, { runId, process }: Omit<ProcessRow, "id">): number {
  const [newest] = store.select({ id: processes.id }).from(processes).orderBy(desc(processes.id)).limit(1).all();
  const id = (newest?.id ?? 0) + 1;
  store.insert(processes).values({ id, runId, open: true, body: process }).run();
  store
    .delete(processes)
    .where(and(eq(processes.open, false), lte(processes.id, id - MAX_KEPT)))
    .run();
  return id;
}

/** Stores the end of a process. */
export function saveEnded(store: Store, { id, process }: ProcessRow, phase: ProcessPhase): void {
  store
    .update(processes)
    .set({ open: false, body: { ...process, phase } })
    .where(eq(processes.id, id))
    .run();
}

/** Deletes the processes that ended before an instant. Of the newest one the number stays, so that it is not given again. */
export function dropEndedProcesses(store: Store, before: number): void {
  const { body, id, open } = processes;
  const endedAt = sql`CASE WHEN json_valid(${body}) THEN ${body} ->> '$.phase.at' ELSE 0 END`;
  const isOver = and(eq(open, false), lt(endedAt, before));
  const emptied = sql`json_remove(json_replace(${body}, '$.command', '', '$.phase.text', ''), '$.announceTo', '$.labels')`;
  store
    .update(processes)
    .set({ body: sql`CASE WHEN json_valid(${body}) THEN ${emptied} ELSE '{}' END` })
    .where(isOver)
    .run();
  store
    .delete(processes)
    .where(and(isOver, lt(id, sql`(SELECT max(id) FROM ${processes})`)))
    .run();
}

/** An unreadable row is skipped: it wakes nobody. */
function readable({ id, runId, body }: typeof processes.$inferSelect): ProcessRow[] {
  if (body !== undefined) return [{ id, runId, process: body }];
  log("error", "process.unreadable", { process: id });
  return [];
}
