import type { CoreConfig } from "./schema.ts";
import { parseSessionKey } from "./session-key.ts";

/** One session's agent wants to look at another session, or to write to it. */
export interface ReachQuestion {
  /** The configuration's `tools`. */
  tools: Pick<CoreConfig["tools"], "sessions" | "agentToAgent">;
  ownKey: string;
  otherKey: string;
  /** Whether the other one was started from here, directly or by one that was. */
  isDescendant: boolean;
}

/** Why it may not, with the setting that says so; undefined where it may. */
export function refusalToReach({ tools, ownKey, otherKey, isDescendant }: ReachQuestion): string | undefined {
  const { visibility } = tools.sessions;
  if (otherKey === ownKey) return undefined;
  if (visibility === "self") return refusal(otherKey, "only a session itself", visibility);
  if (isDescendant) return undefined;
  if (visibility === "tree") return refusal(otherKey, "only a session and the sub-agents below it", visibility);
  const { agentId } = parseSessionKey(otherKey);
  if (agentId === parseSessionKey(ownKey).agentId) return undefined;
  if (visibility === "agent") return refusal(otherKey, "only sessions of the same agent", visibility);
  const { enabled, allow } = tools.agentToAgent;
  if (!enabled) return `${otherKey} belongs to another agent, and tools.agentToAgent.enabled is false.`;
  if (allow.length === 0 || allow.includes("*") || allow.includes(agentId)) return undefined;
  return `${otherKey} belongs to the agent '${agentId}', which tools.agentToAgent.allow does not name.`;
}

function refusal(otherKey: string, what: string, visibility: string): string {
  return `${otherKey} is out of reach: tools.sessions.visibility is '${visibility}', which shows ${what}.`;
}
