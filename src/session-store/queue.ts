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
  /** What is dropped above the cap: the oldest with a summary line, the oldest, or the new one. */
  drop: "summarize" | "old" | "new";
}

function isCommand(queueClass: QueueClass): boolean {
  return queueClass === "command" || queueClass === "reset";
}

function isAlone(queueClass: QueueClass): boolean {
  return isCommand(queueClass) || queueClass === "note";
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
}

/** What one more run does to the queue. */
export interface Admission {
  /** False where the new run is dropped. */
  admitted: boolean;
  /** Dropped runs, oldest first, and why. */
  drop: { id: string; reason: DropReason }[];
  /** Whether the active run is stopped. */
  interrupt: boolean;
}

export type DropReason = "queue_full" | "summarized" | "interrupted";

/** Decides what happens to the queue when a run arrives at a session that is busy with `activeKey`. */
export function admit(
  waiting: readonly WaitingRun[],
  { mergeKey, queueClass }: Pick<WaitingRun, "mergeKey" | "queueClass">,
  activeKey: string | undefined,
  policy: QueuePolicy,
): Admission {
  if (queueClass === "announcement" || queueClass === "note") return { admitted: true, drop: [], interrupt: false };
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
  if (left.length < policy.cap) return { admitted: true, drop, interrupt };
  if (policy.drop === "new") return { admitted: false, drop: [], interrupt: false };
  const reason = policy.drop === "summarize" ? "summarized" : "queue_full";
  const oldest = left.slice(0, left.length - policy.cap + 1).map(({ id }) => ({ id, reason }) as const);
  return { admitted: true, drop: [...drop, ...oldest], interrupt };
}

/** `collect` waits at most this many times `debounceMs`, so that a steady sender does not block others. */
const MAX_DEBOUNCES = 10;

/** Sorts runs by when they start, from the order in which they were accepted. */
export function inQueueOrder(waiting: readonly WaitingRun[]): WaitingRun[] {
  const resets = waiting.filter((run) => run.queueClass === "reset");
  return [...resets, ...waiting.filter((run) => run.queueClass !== "reset")];
}

/** The next run: these waiting runs as one, or none before an instant. */
export type NextRun = { take: readonly WaitingRun[] } | { notBefore: number };

/**
 * Picks the next run of an idle session; undefined where nothing waits. A run that did not arrive at a busy session is
 * not delayed.
 * @param waiting in the order of `inQueueOrder`
 */
export function nextRun(waiting: readonly WaitingRun[], policy: QueuePolicy, now: number): NextRun | undefined {
  const first = waiting[0];
  if (first === undefined) return undefined;
  if (policy.mode !== "collect" || !first.behind || isAlone(first.queueClass)) return { take: [first] };
  const together = waiting.filter((run) => run.mergeKey === first.mergeKey && !isAlone(run.queueClass));
  const lastAt = Math.max(...together.map((run) => run.acceptedAt));
  const quietAt = Math.min(lastAt, first.acceptedAt + MAX_DEBOUNCES * policy.debounceMs) + policy.debounceMs;
  return now < quietAt ? { notBefore: quietAt } : { take: together };
}

/**
 * Which waiting runs are merged into the active one, before it runs a tool or calls its model again. None while a reset
 * waits: they belong to the next conversation.
 */
export function mergeable(
  waiting: readonly WaitingRun[],
  activeKey: string,
  policy: QueuePolicy,
): readonly WaitingRun[] {
  if (policy.mode !== "steer" || waiting.some((run) => run.queueClass === "reset")) return [];
  return waiting.filter((run) => run.mergeKey === activeKey && !isAlone(run.queueClass));
}
