/** What a message does that comes while a run is at work. */
export type QueueMode = "steer" | "followup" | "collect" | "interrupt";

/** How a session treats what comes while it is busy; `messages.queue` of the configuration. */
export interface QueuePolicy {
  mode: QueueMode;
  /** `collect`: how long it has to be quiet before the waiting messages are taken together, in milliseconds. */
  debounceMs: number;
  /** Most runs of one talk that may wait. */
  cap: number;
  /** What gives way past the cap: the oldest after a line of it was kept, the oldest, or the new one. */
  drop: "summarize" | "old" | "new";
}

/**
 * How a run waits. A `message` gives way past the cap; `news`, which somebody waits to hear, gives way to nothing. A
 * `command` shares its turn with nobody, and a `reset`, which is one, goes before whatever waits. A `note` gives way to
 * nothing and shares its turn with nobody.
 */
export type QueueClass = "message" | "announcement" | "note" | "command" | "reset";

function isCommand(queueClass: QueueClass): boolean {
  return queueClass === "command" || queueClass === "reset";
}

function isAlone(queueClass: QueueClass): boolean {
  return isCommand(queueClass) || queueClass === "note";
}

/** A run that waits for its turn. */
export interface WaitingRun {
  id: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
  /** Who talks where, with which rights: only equal ones may share a run. */
  mergeKey: string;
  /** Whether the session was busy when it came. */
  behind: boolean;
  queueClass: QueueClass;
}

/** What one more run does to those that wait. */
export interface Admission {
  /** False where the new one is dropped itself. */
  admitted: boolean;
  /** Those that give way, oldest first, and why. */
  drop: { id: string; reason: DropReason }[];
  /** Whether the run at work is to be stopped. */
  interrupt: boolean;
}

export type DropReason = "queue_full" | "summarized" | "interrupted";

/** Decides what becomes of the waiting runs when one more comes to a session that is busy with `activeTalk`. */
export function admit(
  waiting: readonly WaitingRun[],
  { mergeKey, queueClass }: Pick<WaitingRun, "mergeKey" | "queueClass">,
  activeTalk: string | undefined,
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
  const interrupt = interrupts && activeTalk === mergeKey;
  // Each talk has its own cap: strangers cannot push an owner's message out.
  const left = interrupts ? [] : messages;
  if (left.length < policy.cap) return { admitted: true, drop, interrupt };
  if (policy.drop === "new") return { admitted: false, drop: [], interrupt: false };
  const reason = policy.drop === "summarize" ? "summarized" : "queue_full";
  const oldest = left.slice(0, left.length - policy.cap + 1).map(({ id }) => ({ id, reason }) as const);
  return { admitted: true, drop: [...drop, ...oldest], interrupt };
}

/** Quiet is not waited for longer than so many times `debounceMs`: whoever goes on talking must not hold up others. */
const MAX_DEBOUNCES = 10;

/** The order in which runs get their turn, from the one in which they were accepted. */
export function inQueueOrder(waiting: readonly WaitingRun[]): WaitingRun[] {
  const resets = waiting.filter((run) => run.queueClass === "reset");
  return [...resets, ...waiting.filter((run) => run.queueClass !== "reset")];
}

/** Whose turn it is: these runs as one, or nobody's before an instant. */
export type NextRun = { take: readonly WaitingRun[] } | { notBefore: number };

/**
 * Picks what runs next on a session that is free; undefined where nothing waits. An idle session is never delayed.
 * @param waiting in the order of `inTurn`
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
 * Which waiting runs join the one at work, before it launches a tool or asks its model again. None does once the
 * conversation is to begin anew: they belong to the next one.
 */
export function mergeable(
  waiting: readonly WaitingRun[],
  activeTalk: string,
  policy: QueuePolicy,
): readonly WaitingRun[] {
  if (policy.mode !== "steer" || waiting.some((run) => run.queueClass === "reset")) return [];
  return waiting.filter((run) => run.mergeKey === activeTalk && !isAlone(run.queueClass));
}
