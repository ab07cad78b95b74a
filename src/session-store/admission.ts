import type { Target } from "../channels/channel.ts";
import { originRules, type QueueClass } from "../config/origins.ts";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import { joinLabels } from "../security/labels.ts";
import { requireCalls } from "./client-calls.ts";
import type { EventLog } from "./event-log.ts";
import { admit, type DropReason, inQueueOrder, type QueuePolicy, type WaitingRun } from "./queue.ts";
import { isBegun, type QueuedRun } from "./run.ts";
import type { PendingFile, RunInput } from "./run-input.ts";
import { boundedText } from "./run-request.ts";
import { findRun, findRunByKey, insertRun, type OpenRun, openRuns, type RunRow, saveInput, saveState } from "./runs.ts";
import type { Store } from "./store.ts";

/** Characters kept of a dropped message, and how many dropped messages are kept. */
const KEPT_CHARS = 160;
const KEPT_LINES = 50;

const TOO_MANY = "Too many messages wait in this session; this one was not stored.";
const TRY_LATER = "Send it again when the agent has answered, or raise messages.queue.cap.";
const RETRY_AFTER_SEC = 10;

/** A run that a caller submits. */
export interface NewRun {
  runId: string;
  idempotencyKey: string | null;
  /** Digest of the request under the key; null where it is not compared. */
  inputDigest: string | null;
  input: RunInput;
  target: Target | null;
}

/** Dependencies of `admitRun`; it runs within the fence. */
export interface AdmissionDeps {
  store: Store;
  log: EventLog;
  policy: QueuePolicy;
  now: number;
}

/** The stored run, and the active run that must be stopped for it. */
export interface Admitted {
  row: RunRow;
  /** False where it was accepted before. */
  isNew: boolean;
  interrupt: string | undefined;
}

/**
 * Stores a run once, whether it is repeated under its id or its idempotency key, and queues it. On a busy session it
 * may drop others or be dropped; every dropped run ends in the same commit.
 * @throws IsopodError `rate_limited` with nothing stored, if too many messages wait
 */
export function admitRun(run: NewRun, deps: AdmissionDeps): Admitted {
  const { store, log, now } = deps;
  const known = knownRun(store, run);
  if (known !== undefined) return { row: known, isNew: false, interrupt: undefined };
  const unsettled = openRuns(store);
  if (run.input.results !== undefined) requireCalls(store, run.input.results, unsettled);
  const waiting = waitingRuns(unsettled);
  const { origin } = run.input;
  const isPlainBeat = origin?.kind === "heartbeat" && origin.hasTexts !== true;
  const beat = isPlainBeat ? waitingHeartbeat(unsettled, store) : undefined;
  if (beat !== undefined) return { row: beat, isNew: false, interrupt: undefined };
  const active = unsettled.find((row) => isBegun(row.state));
  const mergeKey = mergeKeyOf(run.input, run.target);
  const whole = groupedWith(run, mergeKey, waiting, store);
  if (whole !== undefined) return { row: joinGroup(run, mergeKey, whole, deps), isNew: true, interrupt: undefined };
  const queueClass = queueClassOf(run.input);
  const activeKey = active && isTurn(active.state) ? active.mergeKey : undefined;
  const chars = run.input.text.length;
  const arrival = { mergeKey, queueClass, chars, mustWait: run.target !== null };
  const { admitted, refused, drop, interrupt } = admit(waiting, arrival, activeKey, deps.policy);
  if (refused) throw new IsopodError("rate_limited", TOO_MANY, TRY_LATER, { retryAfterSec: RETRY_AFTER_SEC });
  const behind = active !== undefined || waiting.length > 0;
  const { runId: id, ...rest } = run;
  const row: RunRow = {
    id,
    ...rest,
    mergeKey,
    open: true,
    state: {
      ...{ status: "queued", behind, chars },
      ...(queueClass !== "message" && { queueClass }),
      ...heldState(run.input, now),
    },
    acceptedAt: now,
    firstSeq: log.lastSeq + 1,
  };
  insertRun(store, row);
  for (const dropped of drop) dropRun(dropped.id, dropped.reason, deps);
  if (!admitted) dropRun(id, "queue_full", deps);
  else if (behind) log.record(id, now, [{ type: "queue", phase: "waiting", ahead: runsAhead(row, deps) }]);
  return { row, isNew: true, interrupt: interrupt ? active?.id : undefined };
}

/** Most files of a message in several parts. */
const MAX_GROUP_FILES = 20;

/** The waiting run that the same sender's parts of the same message have begun; undefined where this is the first. */
function groupedWith(
  { input }: NewRun,
  mergeKey: string,
  waiting: readonly WaitingRun[],
  store: Store,
): (RunRow & { input: RunInput }) | undefined {
  if (input.groupId === undefined) return undefined;
  for (const run of waiting) {
    const row = run.mergeKey === mergeKey ? findRun(store, run.id) : undefined;
    if (row?.input?.groupId === input.groupId && row.input.sender?.id === input.sender?.id) {
      return { ...row, input: row.input };
    }
  }
  return undefined;
}

/** Adds a part of a message to the run that waits for it, and stores its own run as merged. */
function joinGroup(run: NewRun, mergeKey: string, whole: RunRow & { input: RunInput }, deps: AdmissionDeps): RunRow {
  const { store, log, now } = deps;
  const { input } = whole;
  const parts = [input, run.input];
  const joined: RunInput = {
    ...input,
    text: boundedText(parts.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n")),
    images: parts.flatMap(({ images = [] }) => images).slice(0, MAX_GROUP_FILES),
    media: parts.flatMap(({ media = [] }) => media).slice(0, MAX_GROUP_FILES),
    files: [...(input.files ?? []), ...partFiles(run.input)].slice(0, MAX_GROUP_FILES),
    ...joinedOutside(parts),
  };
  saveInput(store, whole.id, joined);
  if (whole.state.status === "queued") {
    saveState(store, whole.id, { ...whole.state, chars: joined.text.length, ...heldState(joined, now) });
  }
  const { runId: id, ...rest } = run;
  const firstSeq = log.lastSeq + 1;
  const endSeq = log.record(id, now, [{ type: "queue", phase: "joined", intoRunId: whole.id }]);
  const state = { status: "joined", intoRunId: whole.id, endedAt: now, endSeq } as const;
  const row: RunRow = { id, ...rest, input: null, mergeKey, open: true, state, acceptedAt: now, firstSeq };
  insertRun(store, row);
  return row;
}

/** What was quoted in parts of a message, and what is known of their words. */
function joinedOutside(parts: readonly RunInput[]): Pick<RunInput, "quoted" | "labels" | "suspected"> {
  const quoted = parts.flatMap(({ quoted: words }) => words ?? []);
  const labels = joinLabels(...parts.map((part) => part.labels));
  const suspected = [...new Set(parts.flatMap((part) => part.suspected ?? []))];
  return {
    ...(quoted.length > 0 && { quoted: [...new Set(quoted)].join("\n\n") }),
    ...(labels.length > 0 && { labels }),
    ...(suspected.length > 0 && { suspected }),
  };
}

/** The files of a later part, whose names may be those of an earlier part. */
function partFiles({ files = [], said }: RunInput): PendingFile[] {
  return files.map((file) => ({ ...file, name: `${said?.messageId ?? "part"}-${file.name}` }));
}

/** What a run waits for besides its turn: more of its conversation, and its files. */
function heldState({ holdMs, files = [], origin }: RunInput, now: number): Partial<QueuedRun> {
  if (!originRules(origin).isTurn) return {};
  return {
    ...(holdMs !== undefined && { heldUntil: now + holdMs }),
    ...(files.length > 0 && { hasFiles: true as const }),
  };
}

/** The heartbeat that waits: a session that is busy for long has one when it is free, not several. */
function waitingHeartbeat(rows: readonly OpenRun[], store: Store): RunRow | undefined {
  const waiting = rows.filter(({ state }) => state.status === "queued" && state.queueClass === "background");
  return waiting.map(({ id }) => findRun(store, id)).find((row) => row?.input?.origin?.kind === "heartbeat");
}

/** How many runs start before this one. */
function runsAhead({ id }: RunRow, { store }: AdmissionDeps): number {
  return waitingRuns(openRuns(store)).findIndex((run) => run.id === id);
}

function queueClassOf({ origin, alone }: RunInput): QueueClass {
  return alone ? "command" : originRules(origin).queueClass;
}

/** Whether a newer message may interrupt a run at work: only a turn of the agent, which asks a model. */
function isTurn(state: OpenRun["state"]): boolean {
  return originRules("origin" in state ? state.origin : undefined).isTurn;
}

/**
 * The run that was accepted before under the same id or key.
 * @throws IsopodError `conflict` where the key was used for another request
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

/** The waiting runs in the order in which they start. */
export function waitingRuns(rows: readonly OpenRun[]): WaitingRun[] {
  return inQueueOrder(
    rows.flatMap(({ id, acceptedAt, mergeKey, state }) => {
      if (state.status !== "queued") return [];
      const { behind, queueClass = "message", chars = 0, heldUntil, hasFiles } = state;
      return [{ id, acceptedAt, mergeKey, behind, queueClass, chars, heldUntil, hasFiles }];
    }),
  );
}

/**
 * Ends a waiting run as dropped. With `summarized`, its beginning moves to the next waiting run with the same merge
 * key.
 */
function dropRun(id: string, reason: DropReason, { store, log, now }: AdmissionDeps): void {
  const dropped = findRun(store, id);
  if (dropped?.state.status !== "queued") return;
  const endSeq = log.record(id, now, [{ type: "queue", phase: "dropped", reason }]);
  saveState(store, id, { status: "dropped", reason, endedAt: now, endSeq });
  // Only the same merge key may inherit: a guest's text must not become part of an owner's message.
  const next = waitingRuns(openRuns(store)).find(
    (run) => run.queueClass === "message" && run.mergeKey === dropped.mergeKey,
  );
  const heir = next && findRun(store, next.id);
  if (reason !== "summarized" || dropped.input === null || !heir?.input) return;
  saveInput(store, heir.id, { ...heir.input, dropped: droppedBefore(dropped.input, heir.input) });
}

/** The summary of dropped messages that their heir carries, oldest first. */
function droppedBefore(dropped: RunInput, heir: RunInput): NonNullable<RunInput["dropped"]> {
  const count = (dropped.dropped?.count ?? 0) + 1 + (heir.dropped?.count ?? 0);
  const begins = [...(dropped.dropped?.begins ?? []), head(dropped.text, KEPT_CHARS), ...(heir.dropped?.begins ?? [])];
  return { count, begins: begins.slice(-KEPT_LINES) };
}

/**
 * Conversation, rights, model, instructions and client's wishes of a message as one text. Messages share a run only where it is equal:
 * otherwise a reply could reach the wrong conversation, a guest's text could run with an owner's tools, or the options
 * of one message would be lost.
 */
export function mergeKeyOf(input: RunInput, target: Target | null): string {
  const { sender, origin, model = "", thinking = "", extraContext = "" } = input;
  const where = target && [target.channel, target.accountId, target.conversationId, target.threadId ?? ""];
  const instructions = extraContext === "" ? [] : [textFingerprint(extraContext)];
  const { client, results, replay } = input;
  const wishes = client || results || replay ? [textFingerprint(JSON.stringify([client, results, replay]))] : [];
  const rules = originRules(origin);
  const background = rules.queueClass === "background" ? [origin?.kind] : [];
  return JSON.stringify([where, sender?.owner === true, model, thinking, ...instructions, ...wishes, ...background]);
}

/**
 * A text's length and 32-bit FNV-1a hash; the platform's digests are asynchronous and cannot be used within a commit.
 * It is not a security boundary: only owners set instructions, and on a collision two messages share a run.
 */
function textFingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}
