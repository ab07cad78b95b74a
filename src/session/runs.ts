import { asc, eq } from "drizzle-orm";
import type { RunState } from "./run.ts";
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
  return store.select().from(runs).where(eq(runs.open, true)).orderBy(asc(runs.id)).all();
}

/** Stores where a run stands. A run that has begun has its input in the transcript, so it leaves the row. */
export function saveState(store: Store, id: string, state: RunState): void {
  const input = state.status === "running" ? { input: null } : {};
  store.update(runs).set({ state, ...input }).where(eq(runs.id, id)).run();
}

/** Nothing is left to do for these runs. */
export function closeRun(store: Store, id: string): void {
  store.update(runs).set({ open: false }).where(eq(runs.id, id)).run();
}
