import { isSettled } from "../session-store/run.ts";
import { newestRun, openRuns } from "../session-store/runs.ts";
import { readSessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import { openSubagents } from "../session-store/subagent-rows.ts";

/**
 * When a session that was begun for one matter only is to be deleted: a while after its last run, so that the answer
 * can be asked for again. Undefined where it stays, or is at work, be it through sub-agents.
 */
export function expiresAt(store: Store): number | undefined {
  const { lingerMs } = readSessionRow(store)?.settings ?? {};
  if (lingerMs === undefined || openRuns(store).some(({ state }) => !isSettled(state))) return undefined;
  if (openSubagents(store).length > 0) return undefined;
  const state = newestRun(store)?.state;
  return state !== undefined && isSettled(state) ? state.endedAt + lingerMs : undefined;
}

/** Whether a session is to be deleted now. */
export function isExpired(store: Store, now: number): boolean {
  const at = expiresAt(store);
  return at !== undefined && at <= now;
}
