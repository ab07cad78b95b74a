import { IsopodError } from "../lib/errors.ts";
import type { Store } from "../session-store/store.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import { recentSubagents, type SubagentRow } from "../session-store/subagent-rows.ts";

/**
 * The one sub-agent that a text means: by its number in the list (1 is the newest), its session key, its run's id or its
 * label; of several with one label, the one that is at work.
 * @throws IsopodError that says what there is
 */
export function findSubagent(subagents: readonly SubagentView[], which: string): SubagentView {
  const text = which.trim();
  const byNumber = /^#?\d+$/.test(text) ? subagents[Number(text.replace("#", "")) - 1] : undefined;
  const byId = subagents.find(({ sessionKey, runId }) => sessionKey === text || runId === text);
  const named = subagents.filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  const atWork = named.filter((subagent) => isAtWork(subagent));
  const found = byId ?? onlyOf(atWork) ?? onlyOf(named) ?? byNumber;
  if (found !== undefined) return found;
  if (named.length > 1)
    throw new IsopodError(
      "not_found",
      `Several sub-agents are called '${text}'. Name one by its number:\n${listed(subagents)}`,
    );
  if (subagents.length === 0) throw new IsopodError("not_found", "This session has started no sub-agents.");
  throw new IsopodError("not_found", `There is no sub-agent '${text}'. There are:\n${listed(subagents)}`);
}

/** Whether a sub-agent's end is waited for. */
export function isAtWork({ status }: SubagentView): boolean {
  return status === "starting" || status === "working";
}

function onlyOf(subagents: readonly SubagentView[]): SubagentView | undefined {
  return subagents.length === 1 ? subagents[0] : undefined;
}

function listed(subagents: readonly SubagentView[]): string {
  return subagents.map(({ label, status }, index) => `${index + 1}. ${label} (${status})`).join("\n");
}

/** Most sub-agents of a session that are shown. */
const MAX_SHOWN = 50;

/** The sub-agents that a session started last, the newest first. */
export function listedSubagents(store: Store): SubagentView[] {
  return recentSubagents(store, MAX_SHOWN).map(subagentView);
}

/** A sub-agent as others see it. */
export function subagentView({ key, subagent }: SubagentRow): SubagentView {
  const { agentId, childRunId: runId, label, task, startedAt, phase } = subagent;
  const view = { sessionKey: key, agentId, runId, label, task, startedAt };
  if (phase.status !== "ended") return { ...view, status: phase.status };
  return { ...view, status: phase.outcome, endedAt: phase.at };
}
