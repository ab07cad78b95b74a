import { and, asc, desc, eq, getTableColumns, lt, sql } from "drizzle-orm";
import type { Target } from "../channels/channel.ts";
import { log } from "../lib/log.ts";
import { NO_USAGE } from "../models/message.ts";
import { type Approval, isSettled, type RunState } from "./run.ts";
import type { RunInput, RunOrigin } from "./run-input.ts";
import { UNREADABLE } from "./run-result.ts";
import { runs } from "./schema.ts";
import { keptValue, prepared, type Store, slot, slotValues } from "./store.ts";

/** A run without its input, which may be large. */
export interface OpenRun extends Omit<typeof runs.$inferSelect, "state" | "input" | "target"> {
  state: RunState;
  target: Target | null;
}

/** A run. */
export interface RunRow extends OpenRun {
  /** Null once it has begun, or where it is unreadable: then the run can only end. */
  input: RunInput | null;
}

const { input: _, ...withoutInput } = getTableColumns(runs);

const statements = prepared((store) => {
  const thisRun = eq(runs.id, slot(runs.id));
  return {
    insert: store
      .insert(runs)
      .values({
        id: slot(runs.id),
        idempotencyKey: slot(runs.idempotencyKey),
        inputDigest: slot(runs.inputDigest),
        open: slot(runs.open),
        state: slot(runs.state),
        input: slot(runs.input),
        target: slot(runs.target),
        mergeKey: slot(runs.mergeKey),
        acceptedAt: slot(runs.acceptedAt),
        firstSeq: slot(runs.firstSeq),
      })
      .prepare(),
    byId: store.select().from(runs).where(thisRun).prepare(),
    byKey: store
      .select()
      .from(runs)
      .where(eq(runs.idempotencyKey, slot(runs.idempotencyKey)))
      .prepare(),
    open: store.select(withoutInput).from(runs).where(sql`${runs.open} = 1`).orderBy(asc(sql`rowid`)).prepare(),
    saveState: store
      .update(runs)
      .set({ state: slot(runs.state) })
      .where(thisRun)
      .prepare(),
    saveStarted: store
      .update(runs)
      .set({ state: slot(runs.state), input: null })
      .where(thisRun)
      .prepare(),
    close: store
      .update(runs)
      .set({ open: false, state: slot(runs.state) })
      .where(thisRun)
      .prepare(),
  };
});

/**
 * The open runs as this incarnation has read and written them: a turn asks for them dozens of times, and writes them
 * itself.
 */
const knownRuns = keptValue(["delete runs"], () => ({
  byId: new Map<string, RunRow>(),
  /** All of them, in the order in which they were accepted; undefined until they were read. */
  open: undefined as readonly OpenRun[] | undefined,
}));

/** Adds a run. */
export function insertRun(store: Store, row: RunRow): void {
  statements(store).insert.run(slotValues(runs, row));
  const known = knownRuns(store);
  if (!row.open) return;
  known.byId.set(row.id, row);
  known.open &&= [...known.open, { ...row, input: null } as OpenRun];
}

/** Changes what is known of a run, after the change was stored. */
function change(store: Store, id: string, changed: Partial<RunRow>): void {
  const known = knownRuns(store);
  const row = known.byId.get(id);
  if (row !== undefined) known.byId.set(id, { ...row, ...changed });
  const { input: _, ...withoutInput } = changed;
  known.open &&= known.open.map((run) => (run.id === id ? { ...run, ...withoutInput } : run));
}

/** A run by id. */
export function findRun(store: Store, id: string): RunRow | undefined {
  const { byId } = knownRuns(store);
  const known = byId.get(id);
  if (known !== undefined) return known;
  const row = statements(store).byId.get({ id });
  if (row === undefined) return undefined;
  const run = readable(row);
  if (run.open) byId.set(id, run);
  return run;
}

/** The run that was accepted under an idempotency key. */
export function findRunByKey(store: Store, idempotencyKey: string): RunRow | undefined {
  const row = statements(store).byKey.get({ idempotency_key: idempotencyKey });
  return row && readable(row);
}

/** Releases an idempotency key from a run that was accepted before an instant. */
export function releaseKey(store: Store, idempotencyKey: string, before: number): void {
  const isOld = and(eq(runs.idempotencyKey, idempotencyKey), lt(runs.acceptedAt, before));
  store.update(runs).set({ idempotencyKey: null }).where(isOld).run();
  const { byId, open = [] } = knownRuns(store);
  for (const run of [...byId.values(), ...open]) {
    if (run.idempotencyKey !== idempotencyKey || run.acceptedAt >= before) continue;
    change(store, run.id, { idempotencyKey: null });
  }
}

/** Most newest runs that are searched for the one that answers a message. */
const MAX_SEARCHED = 200;

/** The run that answers a message of a conversation, by the platform's id; the one that it was merged into, if it was. */
export function answeringRun(store: Store, target: Target, messageId: string): RunRow | undefined {
  const newest = store.select(withoutInput).from(runs).orderBy(desc(sql`rowid`)).limit(MAX_SEARCHED).all();
  const row = newest.find(
    ({ target: to }) =>
      to != null &&
      to.replyToId === messageId &&
      to.channel === target.channel &&
      to.accountId === target.accountId &&
      to.conversationId === target.conversationId,
  );
  const run = row && findRun(store, row.id);
  return run?.state.status === "joined" ? findRun(store, run.state.intoRunId) : run;
}

/** The estimated cost of the heartbeat before a run, if that one had nothing to say; undefined otherwise. */
export function quietCostBefore(store: Store, runId: string): number | undefined {
  const newest = store.select(withoutInput).from(runs).orderBy(desc(sql`rowid`)).limit(MAX_SEARCHED).all();
  const before = newest.slice(newest.findIndex(({ id }) => id === runId) + 1);
  const beat = before.find(({ state }) => state !== undefined && "from" in state && state.from === "heartbeat");
  const state = beat?.state;
  if (state === undefined || !("isQuiet" in state) || state.isQuiet !== true) return undefined;
  return state.usage.costMicros ?? 0;
}

/** The run that was accepted last. */
export function newestRun(store: Store): RunRow | undefined {
  const row = store.select().from(runs).orderBy(desc(sql`rowid`)).limit(1).get();
  return row && readable(row);
}

/** The open runs, in the order in which they were accepted. */
export function openRuns(store: Store): readonly OpenRun[] {
  const known = knownRuns(store);
  known.open ??= statements(store)
    .open.all()
    .map((row) => readable({ ...row, input: null }));
  return known.open;
}

/**
 * A stored run, as far as it is readable. A damaged one is queued without input, or failed where it has been closed: so
 * it ends like any other and blocks nothing.
 */
function readable(row: typeof runs.$inferSelect): RunRow {
  const { state, input, target } = row;
  const isWhole = state !== undefined && input !== undefined && target !== undefined;
  if (isWhole) return { ...row, state, input, target };
  log("error", "run.unreadable", { runId: row.id });
  if (state !== undefined && isSettled(state)) return { ...row, state, input: null, target: target ?? null };
  return { ...row, state: row.open ? QUEUED : failedAt(row.acceptedAt), input: null, target: target ?? null };
}

const QUEUED: RunState = { status: "queued", behind: true };

function failedAt(endedAt: number): RunState {
  return { status: "error", endedAt, endSeq: 0, usage: NO_USAGE, error: UNREADABLE.error };
}

/** The calls that wait for approval. */
export function openApprovals(rows: readonly OpenRun[]): Approval[] {
  return rows.flatMap(({ state }) =>
    state.status === "waiting_approval" ? state.approvals.filter(({ decision }) => decision === undefined) : [],
  );
}

/** Stores the state of a run. */
export function saveState(store: Store, id: string, state: RunState): void {
  statements(store).saveState.run({ id, state });
  change(store, id, { state });
}

/** Stores that a run has begun or was merged: the transcript has its input now, so the row drops it. */
export function saveStarted(store: Store, id: string, state: RunState): void {
  statements(store).saveStarted.run({ id, state });
  change(store, id, { state, input: null });
}

/** Changes the input of a waiting run. */
export function saveInput(store: Store, id: string, input: RunInput): void {
  store.update(runs).set({ input }).where(eq(runs.id, id)).run();
  change(store, id, { input });
}

/** Closes a run with its last state: nothing is left to do for it. */
export function closeRun(store: Store, id: string, state: RunState): void {
  statements(store).close.run({ id, state });
  const known = knownRuns(store);
  known.byId.delete(id);
  known.open &&= known.open.filter((run) => run.id !== id);
}

/** A run that was merged into another. */
export interface MergedRow {
  id: string;
  origin: RunOrigin | undefined;
}

/** The runs that were merged into a run. It reads all later runs, so only dealings with other sessions use it. */
export function mergedRuns(store: Store, intoRunId: string): MergedRow[] {
  const into = sql`CASE WHEN json_valid(${runs.state}) THEN ${runs.state} ->> '$.intoRunId' END`;
  const isLater = sql`rowid > (SELECT rowid FROM ${runs} WHERE ${runs.id} = ${intoRunId})`;
  const rows = store
    .select({ id: runs.id, state: runs.state })
    .from(runs)
    .where(and(isLater, eq(into, intoRunId)))
    .all();
  return rows.map(({ id, state }) => ({ id, origin: state?.status === "joined" ? state.origin : undefined }));
}
