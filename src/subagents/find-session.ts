import type { Agent } from "../config/agents.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { refusalToReach } from "../config/session-reach.ts";
import { findSubagentRow } from "../session-store/subagent-rows.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { findSubagent, listedSubagents } from "./find-subagent.ts";
import type { Subagents } from "./subagents.ts";
import type { SubagentsDeps } from "./subagents-deps.ts";

/** A run whose tools use other sessions. */
export interface SessionCaller {
  run: ActiveRun;
  agent: Agent;
  subagents: Subagents;
  deps: SubagentsDeps & { database: D1Database };
}

/**
 * The session that a text names, by key or by a sub-agent's label, where the run may reach it.
 * @throws Error that names the setting where it may not
 */
export async function findSession(text: string, caller: SessionCaller): Promise<string> {
  const { store } = caller.deps;
  const otherKey = text.startsWith("agent:") ? text : findSubagent(listedSubagents(store), text).sessionKey;
  const refusal = refusalToReach({
    ...reachRules(caller),
    otherKey,
    isDescendant: await isDescendant(otherKey, caller),
  });
  if (refusal !== undefined) throw new Error(refusal);
  return otherKey;
}

/** The parts of a reach check that do not depend on the other session. */
export function reachRules({ deps }: SessionCaller) {
  return { tools: deps.services().config.tools, ownKey: deps.session().key };
}

/** Whether a session descends from this one. A sub-agent of another session stores its own ancestors. */
async function isDescendant(sessionKey: string, { deps }: SessionCaller): Promise<boolean> {
  if (findSubagentRow(deps.store, sessionKey) !== undefined) return true;
  if (parseSessionKey(sessionKey).kind !== "subagent") return false;
  const found = await deps.call(sessionKey, (session) => session.lineage());
  return found?.lineage.includes(deps.session().key) ?? false;
}
