import { IsopodError } from "../lib/errors.ts";
import type { Store } from "../session-store/store.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import { recentSubagents, type SubagentRow } from "../session-store/subagent-rows.ts";

/**
 * The sub-agent that a text names: by its number in the list (1 is the newest), session key, run id or label; among
 * equal labels, the one that works.
 * @throws IsopodError with a list of the sub-agents where none matches
 */
export function findSubagent(subagents: readonly SubagentView[], which: string): SubagentView {
  const text = which.trim();
  const byNumber = /^#?\d+$/.test(text) ? subagents[Number(text.replace("#", "")) - 1] : undefined;
  const byId = subagents.find(({ sessionKey, runId }) => sessionKey === text || runId === text);
  const named = subagents.filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  const atWork = named.filter((subagent) => isAtWork(subagent));
  const found = byId ?? single(atWork) ?? single(named) ?? byNumber;
  if (found !== undefined) return found;
  if (named.length > 1)
    throw new IsopodError(
      "not_found",
      `Several sub-agents are called '${text}'. Name one by its number:\n${listed(subagents)}`,
    );
  if (subagents.length === 0) throw new IsopodError("not_found", "This session has started no sub-agents.");
  throw new IsopodError("not_found", `There is no sub-agent '${text}'. There are:\n${listed(subagents)}`);
}

/** Whether a sub-agent is active. */
export function isAtWork({ status }: SubagentView): boolean {
  return status === "starting" || status === "working";
}

function single(subagents: readonly SubagentView[]): SubagentView | undefined {
  return subagents.length === 1 ? subagents[0] : undefined;
}

function listed(subagents: readonly SubagentView[]): string {
  return subagents.map(({ label, status }, index) => `${index + 1}. ${label} (${status})`).join("\n");
}

/** Most sub-agents that are shown. */
const MAX_SHOWN = 50;

/** The sub-agents that a session started last, the newest first. */
export function listedSubagents(store: Store): SubagentView[] {
  return recentSubagents(store, MAX_SHOWN).map(subagentView);
}

/** A sub-agent as it is shown. */
export function subagentView({ key, subagent }: SubagentRow): SubagentView {
  const { agentId, childRunId: runId, label, task, startedAt, phase } = subagent;
  const view = { sessionKey: key, agentId, runId, label, task, startedAt };
  if (phase.status !== "ended") return { ...view, status: phase.status };
  return { ...view, status: phase.outcome, endedAt: phase.at };
}
