import { LIST_PRICES } from "../../../src/services/list-prices.ts";
import type { Ran, WorldReport } from "./world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MONTH_DAYS = 30;
/** Not in `LIST_PRICES`, as no run uses it: developers.cloudflare.com/queues/platform/pricing, as of November 2026. */
const QUEUE_OPERATION_USD = 0.4e-6;
const OBJECT_GB = 0.128;
/** How long a session's object works on a heartbeat, mostly waiting for the model. */
const BEAT_SECONDS = 5;

/** What a simulation comes to. */
export interface ScheduleResult {
  /** Due times owed: after collapsing, and without the skipped ones. */
  slots: number;
  ranOnce: number;
  missed: number;
  doubled: number;
  /** Due times that passed while an earlier one of the same agent had not run: the two are one. */
  collapsed: number;
  /** Due times of agents with an empty HEARTBEAT.md. */
  skipped: number;
  worstLatenessMs: number;
  d1RowsReadPerDay: number;
  d1RowsWrittenPerDay: number;
  queueOpsPerDay: number;
  objectWakesPerDay: number;
  /** At list prices beyond what is included, with the time of the beats' objects and without their models. */
  dollarsPerMonth: number;
  /** The most slots of one minute, and the most requests of one invocation of the consumer. */
  mostSlotsInAMinute: number;
  mostRequestsOfAnInvocation: number;
}

/** Compares what ran with what was due. @param days that were simulated, from `start` on */
export function resultOf(
  { counts, ran, rows }: WorldReport,
  { start, days, agents, everyMs }: { start: number; days: number; agents: number; everyMs: number },
): ScheduleResult {
  const end = start + days * DAY_MS;
  const found = Object.entries(rows).map(([agentId, row]) =>
    compared(ran[agentId] ?? [], row, { start, end, everyMs }),
  );
  const total = (of: (one: Compared) => number) => found.reduce((sum, one) => sum + of(one), 0);
  const lateness = found.reduce((worst, one) => Math.max(worst, one.worstLatenessMs), 0);
  const perDay = (count: number) => Math.round(count / days);
  const { ticks, rowsRead, rowsWritten, queueOps, consumed, r2Reads, laneCalls, wakes } = counts;
  const { workerRequest, objectRequest, objectGbSecond, rowRead, rowWritten, r2Read } = LIST_PRICES;
  const dollars =
    (ticks + consumed) * workerRequest +
    rowsRead * rowRead +
    rowsWritten * rowWritten +
    queueOps * QUEUE_OPERATION_USD +
    r2Reads * r2Read +
    (laneCalls + wakes) * objectRequest +
    wakes * BEAT_SECONDS * OBJECT_GB * objectGbSecond;
  return {
    slots: total(({ owed }) => owed),
    ranOnce: total(({ once }) => once),
    missed: total(({ missed }) => missed) + (agents - found.length),
    doubled: total(({ doubled }) => doubled),
    collapsed: total(({ collapsed }) => collapsed),
    skipped: total(({ skipped }) => skipped),
    worstLatenessMs: lateness,
    d1RowsReadPerDay: perDay(rowsRead),
    d1RowsWrittenPerDay: perDay(rowsWritten),
    queueOpsPerDay: perDay(queueOps),
    objectWakesPerDay: perDay(wakes),
    dollarsPerMonth: Number(((dollars / days) * MONTH_DAYS).toPrecision(3)),
    mostSlotsInAMinute: counts.mostSlots,
    mostRequestsOfAnInvocation: counts.mostRequests,
  };
}

interface Compared {
  owed: number;
  once: number;
  missed: number;
  doubled: number;
  collapsed: number;
  skipped: number;
  worstLatenessMs: number;
}

/** The due times of one agent are those in step with the next one that its row has. */
function compared(
  ran: readonly Ran[],
  { dueAt, status, reason }: WorldReport["rows"][string],
  { start, end, everyMs }: { start: number; end: number; everyMs: number },
): Compared {
  const grid: number[] = [];
  for (let at = start + ((dueAt - start) % everyMs || everyMs); at < end; at += everyMs) grid.push(at);
  if (ran.length === 0 && status === "skipped" && reason?.includes("HEARTBEAT.md")) {
    const missed = dueAt <= end ? 1 : 0;
    return { owed: 0, once: 0, missed, doubled: 0, collapsed: 0, skipped: grid.length, worstLatenessMs: 0 };
  }
  const sorted = [...ran].sort((a, b) => a.dueAt - b.dueAt);
  let collapsed = 0;
  let missed = 0;
  for (const slot of grid) {
    const own = sorted.findLast(({ dueAt: due }) => due <= slot);
    if (own === undefined) missed++;
    else if (own.dueAt !== slot) {
      // An earlier one that ran only after this one was due stands for both.
      if (own.at >= slot) collapsed++;
      else missed++;
    }
  }
  const known = new Set(grid);
  const within = sorted.filter(({ dueAt: due }) => due < end);
  const off = within.filter(({ dueAt: due }) => !known.has(due)).length;
  const lateness = within.map(({ dueAt: due, at }) => at - due);
  const once = within.length - off;
  return {
    ...{ owed: grid.length - collapsed, once, missed, doubled: off, collapsed, skipped: 0 },
    worstLatenessMs: Math.max(0, ...lateness),
  };
}
