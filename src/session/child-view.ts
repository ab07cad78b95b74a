import type { ChildView } from "./api.ts";
import type { ChildRow } from "./child-rows.ts";

/** A sub-agent as others see it. */
export function childView({ key, child }: ChildRow): ChildView {
  const { agentId, childRunId: runId, label, task, startedAt, phase } = child;
  const view = { sessionKey: key, agentId, runId, label, task, startedAt };
  if (phase.status !== "ended") return { ...view, status: phase.status };
  return { ...view, status: phase.outcome, endedAt: phase.at };
}
