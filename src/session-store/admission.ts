import type { Target } from "../channels/channel.ts";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import type { EventLog } from "./event-log.ts";
import { admit, type DropReason, inQueueOrder, type QueueClass, type QueuePolicy, type WaitingRun } from "./queue.ts";
import { isBegun, type RunInput } from "./run.ts";
import { findRun, findRunByKey, insertRun, type OpenRun, openRuns, type RunRow, saveInput, saveState } from "./runs.ts";
import type { Store } from "./store.ts";

/** Characters that are kept of a message that gives way to others, and of how many such messages. */
const KEPT_CHARS = 160;
const KEPT_LINES = 50;

/** A run that comes in at a door. */
export interface NewRun {
  runId: string;
  idempotencyKey: string | null;
  /** What is asked under the key, as a digest; null where nobody wants it compared. */
  inputDigest: string | null;
  input: RunInput;
  target: Target | null;
}

/** What admitting a run works on, within the fence. */
export interface AdmissionDeps {
  store: Store;
  log: EventLog;
  policy: QueuePolicy;
  now: number;
}

/** The stored run, and the one at work that is to be stopped for it. */
export interface Admitted {
  row: RunRow;
  /** False where it had come in before. */
  isNew: boolean;
  interrupt: string | undefined;
}

/**
 * Stores a run once, whether it comes again under its id or under its idempotency key, and lets it wait. On a busy
 * session others may have to give way to it, or it to them; each of them then has its outcome in the same commit.
 */
export function admitRun(run: NewRun, deps: AdmissionDeps): Admitted {
  const { store, log, now } = deps;
  const known = knownRun(store, run);
  if (known !== undefined) return { row: known, isNew: false, interrupt: undefined };
  const unsettled = openRuns(store);
  const waiting = waitingRuns(unsettled);
  const active = unsettled.find((row) => isBegun(row.state));
  const mergeKey = mergeKeyOf(run.input, run.target);
  const queueClass = queueClassOf(run.input);
  const activeTalk = active && isTurn(active.state) ? active.mergeKey : undefined;
  const { admitted, drop, interrupt } = admit(waiting, { mergeKey, queueClass }, activeTalk, deps.policy);
  const behind = active !== undefined || waiting.length > 0;
  const { runId: id, ...rest } = run;
  const row: RunRow = {
    id,
    ...rest,
    mergeKey,
    open: true,
    state: { status: "queued", behind, ...(queueClass !== "message" && { queueClass }) },
    acceptedAt: now,
    firstSeq: log.lastSeq + 1,
  };
  insertRun(store, row);
  for (const gone of drop) dropRun(gone.id, gone.reason, deps);
  if (!admitted) dropRun(id, "queue_full", deps);
  else if (behind) log.record(id, now, [{ type: "queue", phase: "waiting", ahead: aheadOf(row, deps) }]);
  return { row, isNew: true, interrupt: interrupt ? active?.id : undefined };
}

/** How many runs get their turn before a new one. */
function aheadOf({ id }: RunRow, { store }: AdmissionDeps): number {
  return waitingRuns(openRuns(store)).findIndex((run) => run.id === id);
}

function queueClassOf({ origin, alone }: RunInput): QueueClass {
  if (alone) return "command";
  if (origin?.kind === "command" || origin?.kind === "reset") return origin.kind;
  if (origin?.kind === "delivery" || origin?.kind === "boot") return "note";
  return origin?.kind === "announcement" ? "announcement" : "message";
}

/** Whether a newer message may take the place of a run at work: what asks no model is let finish. */
function isTurn(state: OpenRun["state"]): boolean {
  const kind = "origin" in state ? state.origin?.kind : undefined;
  return kind !== "command" && kind !== "delivery";
}

/**
 * The run that came in before under the same id or the same key.
 * @throws IsopodError `conflict` where something else was asked under the key
 */
export function knownRun(store: Store, { runId, idempotencyKey, inputDigest }: NewRun): RunRow | undefined {
  const known = findRun(store, runId);
  if (known !== undefined || idempotencyKey === null) return known;
  const keyed = findRunByKey(store, idempotencyKey);
  const isOther = inputDigest !== null && (keyed?.inputDigest ?? inputDigest) !== inputDigest;
  if (!isOther) return keyed;
  const message = "idempotencyKey: another message was sent under this key";
  throw new IsopodError("conflict", message, "Use a key of its own for each message.", { param: "idempotencyKey" });
}

/** The runs that wait, in the order in which they get their turn. */
export function waitingRuns(rows: readonly OpenRun[]): WaitingRun[] {
  return inQueueOrder(
    rows.flatMap(({ id, acceptedAt, mergeKey, state }) => {
      if (state.status !== "queued") return [];
      const { behind, queueClass = "message" } = state;
      return [{ id, acceptedAt, mergeKey, behind, queueClass }];
    }),
  );
}

/** Ends a waiting run that gives way. Summarized, its beginning goes to the next of the same talk that waits. */
function dropRun(id: string, reason: DropReason, { store, log, now }: AdmissionDeps): void {
  const gone = findRun(store, id);
  if (gone?.state.status !== "queued") return;
  const endSeq = log.record(id, now, [{ type: "queue", phase: "dropped", reason }]);
  saveState(store, id, { status: "dropped", reason, endedAt: now, endSeq });
  // Only the same talk may inherit: a stranger's words must not come to stand in an owner's message.
  const next = waitingRuns(openRuns(store)).find(
    (run) => run.queueClass === "message" && run.mergeKey === gone.mergeKey,
  );
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

/**
 * Who talks where, with which rights, which model and under which instructions, as one text. Messages share a run only
 * where this is equal: else a reply would go astray, a stranger's words would be acted on with an owner's tools, or what
 * a caller asked of the model for one message would be lost.
 */
export function mergeKeyOf(input: RunInput, target: Target | null): string {
  const { sender, model = "", thinking = "", extraContext = "" } = input;
  const where = target && [target.channel, target.accountId, target.conversationId, target.threadId ?? ""];
  const instructions = extraContext === "" ? [] : [textFingerprint(extraContext)];
  return JSON.stringify([where, sender?.owner === true, model, thinking, ...instructions]);
}

/**
 * A text's length and its 32-bit FNV-1a, because the platform's own digests are not there within a commit. It need not
 * withstand anybody: whoever sets instructions is an owner, and two that look alike share a run as any two messages do.
 */
function textFingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}
