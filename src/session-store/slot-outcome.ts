import { head } from "../lib/text.ts";
import type { SlotOutcome } from "../schedule/schedule-store.ts";
import type { RunState } from "./run.ts";

const MAX_REASON_CHARS = 300;

/**
 * How the run of a slot has ended, as the schedule is told; undefined for every other run. A job that failed is tried
 * again after a pause; one that repeats anyway waits at least as long. To stop a run is no failure.
 * @param pauses in milliseconds; after the last of them a job that runs once is given up
 */
export function slotOutcome(runId: string, state: RunState, pauses: readonly number[]): SlotOutcome | undefined {
  if (!("endedAt" in state) || !("usage" in state) || state.origin === undefined || !("slot" in state.origin)) {
    return undefined;
  }
  const { origin, endedAt, usage, error } = state;
  const hasFailed = state.status === "error" || state.status === "timeout";
  const isStopped = state.status === "aborted";
  const isJob = origin.kind === "job";
  const pause = isJob && origin.isOnce ? pauses[origin.failures] : undefined;
  const willRetry = hasFailed && pause !== undefined;
  return {
    ...origin.slot,
    runId,
    status: hasFailed ? "error" : isStopped ? "skipped" : "ok",
    reason: hasFailed || isStopped ? head(error?.message ?? state.status, MAX_REASON_CHARS) : undefined,
    endedAt,
    costMicros: usage.costMicros,
    retryAt: willRetry ? endedAt + pause : undefined,
    notBefore:
      hasFailed && isJob && !origin.isOnce
        ? endedAt + (pauses[Math.min(origin.failures, pauses.length - 1)] ?? 0)
        : undefined,
    isLast: isJob && origin.isLast === true && state.status === "ok",
  };
}
