import type { Target } from "../channels/channel.ts";
import { head } from "../lib/text.ts";
import type { EventLog } from "./event-log.ts";
import { type Admission, admit, type DropReason, type QueuePolicy, type WaitingRun } from "./queue.ts";
import { isBegun, type RunInput } from "./run.ts";
import { findRun, findRunByKey, insertRun, type OpenRun, openRuns, type RunRow, saveInput, saveState } from "./runs.ts";
import type { Store } from "./store.ts";
import { talkOf } from "./talk.ts";

/** Characters that are kept of a message that gives way to others, and of how many such messages. */
const KEPT_CHARS = 160;
const KEPT_LINES = 50;

/** A run that comes in at a door. */
export interface NewRun {
  runId: string;
  idempotencyKey: string | null;
  input: RunInput;
  target: Target | null;
}

/** What admitting a run works on, within the fence. */
export interface AdmissionRoom {
  store: Store;
  log: EventLog;
  policy: QueuePolicy;
  now: number;
}

/** The stored run, and whether the run at work is to be stopped for it. */
export interface Admitted {
  row: RunRow;
  interrupt: boolean;
}

/** What somebody waits to hear gives way to nothing, and nothing to it. */
const LET_IN: Admission = { admitted: true, drop: [], interrupt: false };

/**
 * Stores a run once, whether it comes again under its id or under its idempotency key, and lets it wait. On a busy
 * session others may have to give way to it, or it to them; each of them then has its outcome in the same commit.
 */
export function admitRun(run: NewRun, room: AdmissionRoom): Admitted {
  const { store, log, now } = room;
  const known = knownRun(store, run);
  if (known !== undefined) return { row: known, interrupt: false };
  const unsettled = openRuns(store);
  const waiting = waitingRuns(unsettled);
  const active = unsettled.find((row) => isBegun(row.state));
  const talk = talkOf(run.input, run.target);
  const stays = run.input.origin?.kind === "announcement";
  const { admitted, drop, interrupt } = stays ? LET_IN : admit(waiting, talk, active?.talk, room.policy);
  const behind = active !== undefined || waiting.length > 0;
  const { runId: id, ...rest } = run;
  const row: RunRow = {
    id,
    ...rest,
    talk,
    open: true,
    state: { status: "queued", behind, ...(stays && { stays }) },
    acceptedAt: now,
    firstSeq: log.lastSeq + 1,
  };
  insertRun(store, row);
  for (const gone of drop) dropRun(gone.id, gone.reason, room);
  if (!admitted) dropRun(id, "queue_full", room);
  else if (behind) log.record(id, now, [{ type: "queue", phase: "waiting", ahead: waiting.length - drop.length }]);
  return { row, interrupt };
}

/** The run that came in before under the same id or the same key. */
export function knownRun(store: Store, { runId, idempotencyKey }: NewRun): RunRow | undefined {
  return findRun(store, runId) ?? (idempotencyKey === null ? undefined : findRunByKey(store, idempotencyKey));
}

/** The runs that wait for their turn, in the order in which they were accepted. */
export function waitingRuns(rows: readonly OpenRun[]): WaitingRun[] {
  return rows.flatMap(({ id, acceptedAt, talk, state }) =>
    state.status === "queued" ? [{ id, acceptedAt, talk, behind: state.behind, stays: state.stays === true }] : [],
  );
}

/** Ends a waiting run that gives way. Summarized, its beginning goes to the next of the same talk that waits. */
function dropRun(id: string, reason: DropReason, { store, log, now }: AdmissionRoom): void {
  const gone = findRun(store, id);
  if (gone?.state.status !== "queued") return;
  const endSeq = log.record(id, now, [{ type: "queue", phase: "dropped", reason }]);
  saveState(store, id, { status: "dropped", reason, endedAt: now, endSeq });
  // Only the same talk may inherit: a stranger's words must not come to stand in an owner's message.
  const next = openRuns(store).find((row) => row.state.status === "queued" && row.talk === gone.talk);
  const heir = next && findRun(store, next.id);
  if (reason !== "summarized" || gone.input === null || !heir?.input) return;
  saveInput(store, heir.id, { ...heir.input, dropped: droppedBefore(gone.input, heir.input) });
}

/** What the heir of a message tells of those that gave way, oldest first. */
function droppedBefore(gone: RunInput, heir: RunInput): NonNullable<RunInput["dropped"]> {
  const count = (gone.dropped?.count ?? 0) + 1 + (heir.dropped?.count ?? 0);
  const begins = [...(gone.dropped?.begins ?? []), head(gone.text, KEPT_CHARS), ...(heir.dropped?.begins ?? [])];
  return { count, begins: begins.slice(-KEPT_LINES) };
}
