import type { QueueClass } from "../config/origins.ts";

/** What a message does that arrives while a run is active. */
export type QueueMode = "steer" | "followup" | "collect" | "interrupt";

/** How a busy session treats new messages; `messages.queue` of the configuration. */
export interface QueuePolicy {
  mode: QueueMode;
  /** `collect`: how long no message may arrive before the waiting ones run together, in milliseconds. */
  debounceMs: number;
  /** Most waiting runs with one merge key. */
  cap: number;
  /** Above the cap: the new one is refused or waits, or the oldest is dropped with a summary line, or the oldest, or the new one. */
  drop: "refuse" | "summarize" | "old" | "new";
}

function isCommand(queueClass: QueueClass): boolean {
  return queueClass === "command" || queueClass === "reset";
}

function isAlone(queueClass: QueueClass): boolean {
  return isCommand(queueClass) || queueClass === "note" || queueClass === "background";
}

/** A run in the queue. */
export interface WaitingRun {
  id: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
  /** Conversation and rights: only equal ones may share a run. */
  mergeKey: string;
  /** Whether the session was busy when it arrived. */
  behind: boolean;
  queueClass: QueueClass;
  /** The length of its text, in UTF-16 units. */
  chars: number;
  /** Before this instant, in milliseconds since the epoch, more of its conversation is waited for. */
  heldUntil?: number | undefined;
  /** Whether its files are still to be fetched. */
  hasFiles?: boolean | undefined;
}

/** A run that arrives. */
export interface Arrival extends Pick<WaitingRun, "mergeKey" | "queueClass" | "chars"> {
  /** Whether its sender cannot be refused, as with a channel: then it may wait above the cap. */
  mustWait: boolean;
}

/** Most messages that wait in a session at all, and their most characters. */
const MAX_WAITING = 1000;
const MAX_WAITING_CHARS = 2 * 1024 * 1024;
/** The most messages that one run takes up together, and their characters: a model has to read them at once. */
const MAX_TOGETHER = 200;
const MAX_TOGETHER_CHARS = 200_000;

/** What one more run does to the queue. */
export interface Admission {
  /** False where the new run is dropped. */
  admitted: boolean;
  /** Set where it is not even stored, because nothing may be dropped and too much waits. */
  refused?: true;
  /** Dropped runs, oldest first, and why. */
  drop: { id: string; reason: DropReason }[];
  /** Whether the active run is stopped. */
  interrupt: boolean;
}

export type DropReason = "queue_full" | "summarized" | "interrupted";

/** Decides what happens to the queue when a run arrives at a session that is busy with `activeKey`. */
export function admit(
  waiting: readonly WaitingRun[],
  { mergeKey, queueClass, chars, mustWait }: Arrival,
  activeKey: string | undefined,
  policy: QueuePolicy,
): Admission {
  if (queueClass === "announcement" || queueClass === "note" || queueClass === "background")
    return { admitted: true, drop: [], interrupt: false };
  if (isCommand(queueClass)) {
    const admitted = waiting.filter((run) => isCommand(run.queueClass)).length < policy.cap;
    return { admitted, drop: [], interrupt: admitted && queueClass === "reset" };
  }
  const messages = waiting.filter((run) => run.mergeKey === mergeKey && run.queueClass === "message");
  const interrupts = policy.mode === "interrupt";
  const outdated = interrupts ? messages : [];
  const drop: Admission["drop"] = outdated.map(({ id }) => ({ id, reason: "interrupted" }));
  const interrupt = interrupts && activeKey === mergeKey;
  // Each merge key has its own cap: guests cannot push out an owner's message.
  const left = interrupts ? [] : messages;
  if (policy.drop === "refuse") {
    const joins = policy.mode === "steer" && activeKey === mergeKey;
    const isFull = hasNoRoom(waiting, chars) || (!mustWait && !joins && left.length >= policy.cap);
    return isFull
      ? { admitted: false, refused: true, drop: [], interrupt: false }
      : { admitted: true, drop, interrupt };
  }
  if (left.length < policy.cap) return { admitted: true, drop, interrupt };
  if (policy.drop === "new") return { admitted: false, drop: [], interrupt: false };
  const reason = policy.drop === "summarize" ? "summarized" : "queue_full";
  const oldest = left.slice(0, left.length - policy.cap + 1).map(({ id }) => ({ id, reason }) as const);
  return { admitted: true, drop: [...drop, ...oldest], interrupt };
}

/** Whether a session stores no further message. */
function hasNoRoom(waiting: readonly WaitingRun[], chars: number): boolean {
  const sum = waiting.reduce((total, run) => total + run.chars, chars);
  return waiting.length >= MAX_WAITING || sum > MAX_WAITING_CHARS;
}

/** `collect` waits at most this many times `debounceMs`, so that a steady sender does not block others. */
const MAX_DEBOUNCES = 10;

/** Sorts runs by when they start, from the order in which they were accepted: resets first, what runs in the background last. */
export function inQueueOrder(waiting: readonly WaitingRun[]): WaitingRun[] {
  const place = ({ queueClass }: WaitingRun) => (queueClass === "reset" ? 0 : queueClass === "background" ? 2 : 1);
  return waiting.toSorted((a, b) => place(a) - place(b));
}

/** The next run: these waiting runs as one, none before an instant, or none until the files of the first are there. */
export type NextRun = { take: readonly WaitingRun[] } | { notBefore: number } | { awaitsFiles: string };

/** A steady sender is waited for at most this long, in milliseconds. */
const MAX_HELD_MS = 30_000;

/**
 * Picks the next run of an idle session; undefined where nothing waits. A run that did not arrive at a busy session is
 * delayed only where it is held for more of its conversation.
 * @param waiting in the order of `inQueueOrder`
 */
export function nextRun(waiting: readonly WaitingRun[], policy: QueuePolicy, now: number): NextRun | undefined {
  const first = waiting[0];
  if (first === undefined) return undefined;
  if (first.hasFiles) return { awaitsFiles: first.id };
  if (isAlone(first.queueClass)) return { take: [first] };
  const alike = withFiles(waiting.filter((run) => run.mergeKey === first.mergeKey && !isAlone(run.queueClass)));
  const together = bounded(alike);
  if (first.heldUntil !== undefined) {
    const heldUntil = Math.max(...alike.map((run) => run.heldUntil ?? 0));
    const until = Math.min(heldUntil, Math.max(first.heldUntil, first.acceptedAt + MAX_HELD_MS));
    return now < until ? { notBefore: until } : { take: together };
  }
  // More than the cap waits only where nothing may be dropped.
  if (alike.length > policy.cap) return { take: together };
  if (policy.mode !== "collect" || !first.behind) return { take: [first] };
  const lastAt = Math.max(...together.map((run) => run.acceptedAt));
  const quietAt = Math.min(lastAt, first.acceptedAt + MAX_DEBOUNCES * policy.debounceMs) + policy.debounceMs;
  return now < quietAt ? { notBefore: quietAt } : { take: together };
}

/** The first runs whose files are there: one that waits for its files holds back those behind it. */
function withFiles(runs: readonly WaitingRun[]): readonly WaitingRun[] {
  const end = runs.findIndex((run) => run.hasFiles);
  return end === -1 ? runs : runs.slice(0, end);
}

/** As many of the first runs as a model can read at once, at least one. */
function bounded(runs: readonly WaitingRun[]): readonly WaitingRun[] {
  let chars = 0;
  const end = runs.slice(0, MAX_TOGETHER).findIndex((run, at) => {
    chars += run.chars;
    return at > 0 && chars > MAX_TOGETHER_CHARS;
  });
  return runs.slice(0, end === -1 ? MAX_TOGETHER : end);
}

/**
 * Which waiting runs are merged into the active one, before it runs a tool or calls its model again. None while a reset
 * waits: they belong to the next conversation.
 */
export function mergeable(
  waiting: readonly WaitingRun[],
  activeKey: string,
  policy: QueuePolicy,
  now: number,
): readonly WaitingRun[] {
  if (policy.mode !== "steer" || waiting.some((run) => run.queueClass === "reset")) return [];
  const alike = withFiles(waiting.filter((run) => run.mergeKey === activeKey && !isAlone(run.queueClass)));
  const end = alike.findIndex((run) => (run.heldUntil ?? 0) > now);
  return bounded(end === -1 ? alike : alike.slice(0, end));
}
