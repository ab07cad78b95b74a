import type { Store } from "../session-store/store.ts";
import type { ChildView } from "../session-store/subagent.ts";
import { type ChildRow, recentChildren } from "../session-store/subagent-rows.ts";

/** Most sub-agents of a session that are shown. */
const MAX_SHOWN = 50;

/** The sub-agents that a session started last, the newest first. */
export function shownChildren(store: Store): ChildView[] {
  return recentChildren(store, MAX_SHOWN).map(childView);
}

/** A sub-agent as others see it. */
export function childView({ key, child }: ChildRow): ChildView {
  const { agentId, childRunId: runId, label, task, startedAt, phase } = child;
  const view = { sessionKey: key, agentId, runId, label, task, startedAt };
  if (phase.status !== "ended") return { ...view, status: phase.status };
  return { ...view, status: phase.outcome, endedAt: phase.at };
}
