import type { Breach, BreachKind } from "./check.ts";
import { unsureIn } from "./check-deliveries.ts";
import { slotsIn } from "./check-slots.ts";
import type { Evidence, SessionEvidence } from "./evidence.ts";
import { type Kill, placeOf } from "./killer.ts";

/** What a torture comes to, as its last line. */
export interface Summary {
  runs: number;
  kills: number;
  /** Moves of sessions to other objects that were confirmed. */
  moves: number;
  seed: number;
  lost: number;
  doubled: number;
  /** Messages that arrived, by platform. */
  delivered: Record<string, number>;
  /** Deliveries whose outcome nobody knows; they are shown and never repeated. */
  unsure: number;
  gaps: number;
  repeats: number;
  stuck: number;
  /** Runs that were given up because they were killed again and again within one step. */
  parked: number;
  disordered: number;
  /** Messages that one request to the model held twice. */
  doubledInRequest: number;
  /** Runs that ended well without what they were asked. */
  undone: number;
  /** Deliveries that may be lost and that nobody was told of. */
  untold: number;
  failed: number;
  /** Due times of jobs and heartbeats that did not run, or ran twice. */
  missedSlots: number;
  doubledSlots: number;
  /** Jobs and heartbeats that ran, and minutes that the clock told. */
  jobs: number;
  beats: number;
  ticks: number;
  /** Runs that ended well although they were killed at least once in their middle. */
  resumed: number;
  /** Sub-agents that were started, and how often a conversation was shortened. */
  children: number;
  compactions: number;
  /** Calls that a person was asked for and allowed. */
  approvals: number;
  /** Runs by status. */
  outcomes: Record<string, number>;
  /** Kills by what was going on outside when they struck. */
  killPoints: Record<string, number>;
  insideShare: number;
  /** How many requests to the outside went wrong, by place, and how often D1 was away. */
  faults: Evidence["faults"];
  /**
   * Milliseconds from the next process being ready to the next turn that was completed, of the kills that left one open;
   * what further kills take until another process is ready is not counted.
   */
  answerMs: { p50: number; p95: number };
  /** Milliseconds from the kill to the next turn that was completed, over further kills if need be. */
  recoveryMs: { p50: number; p95: number };
  seconds: number;
}

/** Sums up what was found. */
export function summaryOf(
  evidence: Evidence,
  breaches: readonly Breach[],
  head: { runs: number; seed: number; seconds: number },
): Summary {
  const { kills, moves, sessions } = evidence;
  const runs = sessions.flatMap((session) => session.runs);
  const count = (kind: BreachKind) => breaches.filter((breach) => breach.kind === kind).length;
  const places = kills.map(placeOf);
  return {
    runs: head.runs,
    kills: kills.length,
    moves,
    seed: head.seed,
    lost: count("lost"),
    doubled: count("doubled"),
    delivered: deliveredIn(evidence),
    unsure: unsureIn(evidence),
    gaps: count("gaps"),
    repeats: count("repeats"),
    stuck: count("stuck"),
    parked: runs.filter((run) => run.error?.code === "crash_loop").length,
    disordered: count("disordered"),
    doubledInRequest: count("doubledInRequest"),
    undone: count("undone"),
    untold: count("untold"),
    failed: count("failed"),
    missedSlots: count("missedSlot"),
    doubledSlots: count("doubledSlot"),
    jobs: sessions.flatMap(({ sent }) => sent.filter(({ message }) => message.door === "job")).length,
    beats: slotsIn(evidence.beats.history).length,
    ticks: evidence.ticks,
    resumed: resumedIn(evidence),
    children: sessions.filter(({ isChild }) => isChild).length,
    compactions: sessions.reduce((sum, { audit }) => sum + audit.compactions, 0),
    approvals: evidence.approvals,
    outcomes: tally(runs.map((run) => run.status)),
    killPoints: tally(places),
    insideShare: round(places.filter((place) => place !== "outside").length / Math.max(1, kills.length)),
    faults: evidence.faults,
    answerMs: quantiles(answerTimes(evidence)),
    recoveryMs: quantiles(recoveryTimes(evidence)),
    seconds: head.seconds,
  };
}

/** One line on a kill. */
export function killLine({ number, aim, inside, killedAt, readyAt }: Kill, startedAt: number): string {
  const hit = Object.entries(inside).flatMap(([place, names]) =>
    names.length > 0 ? [`${place} ${names.join(" ")}`] : [],
  );
  const when = ((killedAt - startedAt) / 1000).toFixed(1);
  const down = readyAt - killedAt;
  return `kill ${number} at ${when} s, aimed at ${aim}, hit ${hit.join("; ") || "nothing"}; back after ${down} ms`;
}

/** What is needed to understand the breaches of one session. */
export function sessionReport(session: SessionEvidence, { counts, delivered }: Evidence): string {
  const { key, mode, chat: own } = session.session;
  const lines = session.history.map(({ seq, runId, at, ...entry }) => {
    const body = entry.role === "assistant" ? JSON.stringify(entry.parts) : entry.text;
    const about = entry.role === "tool" ? `${entry.callId} (took effect ${counts.get(entry.callId) ?? 0} times) ` : "";
    return `  ${seq} ${new Date(at).toISOString()} ${runId} ${entry.role} ${about}${short(body)}`;
  });
  const runs = session.runs.map((run) => `  ${JSON.stringify(run).slice(0, 900)}`);
  const sent = session.sent.map(
    ({ message, runIds }) => `  ${message.text} (${message.sending}, number ${message.number}): ${runIds.join(" ")}`,
  );
  const took = delivered
    .filter(({ chat }) => chat === own?.id)
    .map(({ replyTo, text }) => `  to ${replyTo}: ${short(text)}`);
  return [`${key} (${mode})`, " sent", ...sent, " transcript", ...lines, " runs", ...runs, " delivered", ...took].join(
    "\n",
  );
}

function deliveredIn({ sessions, delivered }: Evidence): Record<string, number> {
  const platforms = new Map(sessions.flatMap(({ session: { chat } }) => (chat ? [[chat.id, chat.platform]] : [])));
  return tally(delivered.flatMap(({ chat }) => platforms.get(chat) ?? []));
}

function resumedIn({ sessions, kills }: Evidence): number {
  return sessions
    .flatMap(({ runs }) => runs)
    .filter(({ status, startedAt = 0, endedAt = 0 }) => {
      return status === "ok" && kills.some(({ killedAt }) => killedAt > startedAt && killedAt < endedAt);
    }).length;
}

function recoveryTimes({ sessions, kills }: Evidence): number[] {
  const turns = completedIn(sessions);
  return kills.flatMap(({ killedAt }) => {
    const next = turns.find(({ endedAt }) => endedAt > killedAt);
    return next === undefined ? [] : [next.endedAt - killedAt];
  });
}

/** See `Summary.answerMs`. */
export function answerTimes({ sessions, kills }: Pick<Evidence, "sessions" | "kills">): number[] {
  const turns = completedIn(sessions);
  return kills.flatMap(({ killedAt, readyAt }) => {
    if (!turns.some((turn) => turn.acceptedAt < killedAt && turn.endedAt > killedAt)) return [];
    const next = turns.find(({ endedAt }) => endedAt > readyAt);
    if (next === undefined) return [];
    const down = kills
      .filter((kill) => kill.killedAt > readyAt && kill.killedAt < next.endedAt)
      .reduce((sum, kill) => sum + kill.readyAt - kill.killedAt, 0);
    return [next.endedAt - readyAt - down];
  });
}

/** The turns that were completed, in the order of their ends. */
function completedIn(sessions: Evidence["sessions"]): { acceptedAt: number; endedAt: number }[] {
  return sessions
    .flatMap(({ runs }) =>
      runs.flatMap(({ status, acceptedAt, endedAt }) =>
        status === "ok" && endedAt !== undefined ? [{ acceptedAt, endedAt }] : [],
      ),
    )
    .sort((a, b) => a.endedAt - b.endedAt);
}

function quantiles(times: readonly number[]): { p50: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: quantile(0.5), p95: quantile(0.95) };
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function round(share: number): number {
  return Math.round(share * 100) / 100;
}

function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
