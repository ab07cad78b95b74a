import { backoffMs } from "../lib/backoff.ts";
import type { OpenRun } from "../session-store/runs.ts";

/** How soon a run that is left alone is taken up again, in milliseconds; doubled while its incarnation lives on. */
export const FIRST_RECOVERY_MS = 2000;
export const LONGEST_RECOVERY_MS = 15_000;
/** How soon the index of all runs is told again what it could not be told, doubled each time. */
export const FIRST_INDEX_RETRY_MS = 2000;
const LONGEST_INDEX_RETRY_MS = 60_000;

/** What a session may have to wake up for. Instants are milliseconds since the epoch. */
export interface Due {
  /** When to look after the runs that are running or waiting; undefined where there are none. */
  recoveryAt: number | undefined;
  /** When the next delivery is due. */
  outboxAt: number | undefined;
  /** When the index of all runs is to be told again. */
  indexAt: number | undefined;
  /** When a session that does not stay is to be deleted. */
  expiresAt: number | undefined;
  /** When something is to be said to a sub-agent, or to who started this one. */
  subagentsAt: number | undefined;
}

/** When the session's one alarm has to ring; undefined where nothing is due. */
export function nextAlarm(due: Due): number | undefined {
  const instants = Object.values(due).filter((instant) => instant !== undefined);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** The same where nothing can be done before an instant. */
export function postpone(due: Due, until: number): Due {
  const later = (instant: number | undefined) => instant && Math.max(instant, until);
  return {
    recoveryAt: later(due.recoveryAt),
    outboxAt: later(due.outboxAt),
    indexAt: later(due.indexAt),
    expiresAt: later(due.expiresAt),
    subagentsAt: later(due.subagentsAt),
  };
}

/** Whether runs go on by themselves. Those behind one that waits for a person do not. */
export function hasActiveRun(rows: readonly OpenRun[]): boolean {
  if (rows.some((row) => row.state.status === "waiting_approval")) return false;
  return rows.some((row) => row.state.status === "running" || row.state.status === "queued");
}

/** The pause before the next look after a run, once one look has found it well. */
export function nextRecoveryMs(pauseMs: number): number {
  return backoffMs(1, { firstMs: pauseMs, longestMs: LONGEST_RECOVERY_MS });
}

/** The pause before the index is told again, once it has not listened. */
export function nextIndexRetryMs(pauseMs: number): number {
  return backoffMs(1, { firstMs: pauseMs, longestMs: LONGEST_INDEX_RETRY_MS });
}
