import { backoffMs } from "../lib/backoff.ts";
import type { OpenRun } from "../session-store/runs.ts";

/** Delay before an interrupted run is resumed, in milliseconds; doubled while its incarnation is alive. */
export const FIRST_RECOVERY_MS = 2000;
export const LONGEST_RECOVERY_MS = 15_000;
/** Delay before a failed update of the run index is retried; doubled each time. */
export const FIRST_INDEX_RETRY_MS = 2000;
const LONGEST_INDEX_RETRY_MS = 60_000;

/** The times at which a session has work to do, in milliseconds since the epoch. */
export interface Due {
  /** When to check running and queued runs; undefined if there are none. */
  recoveryAt: number | undefined;
  /** When the next delivery is due. */
  outboxAt: number | undefined;
  /** When to retry updating the run index. */
  indexAt: number | undefined;
  /** When a temporary session expires. */
  expiresAt: number | undefined;
  /** When a request to a sub-agent or a report to the parent is due. */
  subagentsAt: number | undefined;
}

/** That a session has no work to do. */
export const NOTHING_DUE: Due = {
  recoveryAt: undefined,
  outboxAt: undefined,
  indexAt: undefined,
  expiresAt: undefined,
  subagentsAt: undefined,
};

/** The time for the session's alarm; undefined if nothing is due. */
export function nextAlarm(due: Due): number | undefined {
  const instants = Object.values(due).filter((instant) => instant !== undefined);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Postpones all due times to a given time at the earliest. */
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

/**
 * Whether a run is running or can start without a person's decision. Runs behind one that waits for approval cannot.
 */
export function hasActiveRun(rows: readonly OpenRun[]): boolean {
  if (rows.some((row) => row.state.status === "waiting_approval")) return false;
  return rows.some((row) => row.state.status === "running" || row.state.status === "queued");
}

/** The next delay for checking runs. */
export function nextRecoveryMs(pauseMs: number): number {
  return backoffMs(1, { firstMs: pauseMs, longestMs: LONGEST_RECOVERY_MS });
}

/** The next delay for updating the run index after a failure. */
export function nextIndexRetryMs(pauseMs: number): number {
  return backoffMs(1, { firstMs: pauseMs, longestMs: LONGEST_INDEX_RETRY_MS });
}

/** The object's single alarm, set to the earliest due time. */
export class AlarmClock {
  readonly #ctx: DurableObjectState;
  /** The time of the alarm, as far as this incarnation has set it. */
  #at: number | undefined;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Records that the alarm has rung or was deleted. */
  clear(): void {
    this.#at = undefined;
  }

  /**
   * Sets the alarm within the current commit. While work is under way an earlier alarm stays, because what is due then
   * moves with every call. Otherwise an alarm that is too early is moved or cancelled: that costs a row written, and an
   * alarm that finds nothing to do keeps the object in memory for longer, which costs more.
   */
  set(due: Due): void {
    const at = nextAlarm(due);
    if (at === this.#at) return;
    if (at === undefined) {
      this.#cancel();
      return;
    }
    const isUnderWay = due.recoveryAt !== undefined || due.indexAt !== undefined;
    if (isUnderWay && this.#at !== undefined && this.#at < at) return;
    this.#at = at;
    this.#ctx.waitUntil(this.#ctx.storage.setAlarm(at));
  }

  #cancel(): void {
    this.#at = undefined;
    this.#ctx.waitUntil(this.#ctx.storage.deleteAlarm());
  }
}
