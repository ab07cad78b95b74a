import { asc, eq, sql } from "drizzle-orm";
import type { Approval, RunInput, RunState } from "./run.ts";
import { runs } from "./schema.ts";
import type { Store } from "./store.ts";

/** A run as it is stored. */
export type RunRow = typeof runs.$inferSelect;

/** Adds a run. */
export function insertRun(store: Store, row: RunRow): void {
  store.insert(runs).values(row).run();
}

/** A run by id. */
export function findRun(store: Store, id: string): RunRow | undefined {
  return store.select().from(runs).where(eq(runs.id, id)).get();
}

/** The run that was accepted under an idempotency key. */
export function findRunByKey(store: Store, idempotencyKey: string): RunRow | undefined {
  return store.select().from(runs).where(eq(runs.idempotencyKey, idempotencyKey)).get();
}

/** The runs with something left to do, in the order in which they were accepted. */
export function openRuns(store: Store): RunRow[] {
  return store.select().from(runs).where(eq(runs.open, true)).orderBy(asc(sql`rowid`)).all();
}

/** The calls that wait for a person's word. */
export function openApprovals(rows: readonly RunRow[]): Approval[] {
  return rows.flatMap(({ state }) =>
    state.status === "waiting_approval" ? state.approvals.filter(({ decision }) => decision === undefined) : [],
  );
}

/** Stores where a run stands. */
export function saveState(store: Store, id: string, state: RunState): void {
  store.update(runs).set({ state }).where(eq(runs.id, id)).run();
}

/** Stores that a run has begun, or has joined another: the transcript has its input now, so it leaves the row. */
export function saveTaken(store: Store, id: string, state: RunState): void {
  store.update(runs).set({ state, input: null }).where(eq(runs.id, id)).run();
}

/** Changes what a waiting run was asked. */
export function saveInput(store: Store, id: string, input: RunInput): void {
  store.update(runs).set({ input }).where(eq(runs.id, id)).run();
}

/** Nothing is left to do for these runs. */
export function closeRun(store: Store, id: string): void {
  store.update(runs).set({ open: false }).where(eq(runs.id, id)).run();
}
