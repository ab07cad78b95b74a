import type { Store } from "../session-store/store.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import { recentSubagents, type SubagentRow } from "../session-store/subagent-rows.ts";

/** Most sub-agents of a session that are shown. */
const MAX_SHOWN = 50;

/** The sub-agents that a session started last, the newest first. */
export function listedSubagents(store: Store): SubagentView[] {
  return recentSubagents(store, MAX_SHOWN).map(subagentView);
}

/** A sub-agent as others see it. */
export function subagentView({ key, child }: SubagentRow): SubagentView {
  const { agentId, childRunId: runId, label, task, startedAt, phase } = child;
  const view = { sessionKey: key, agentId, runId, label, task, startedAt };
  if (phase.status !== "ended") return { ...view, status: phase.status };
  return { ...view, status: phase.outcome, endedAt: phase.at };
}
