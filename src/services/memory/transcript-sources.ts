import type { Agent } from "../../config/agents.ts";
import { isForOneRequest, parseSessionKey, type SessionKind } from "../../config/session-key.ts";
import { IsopodError } from "../../lib/errors.ts";

/** Kinds of sessions with people. The results of sub-agents, jobs and hooks are reported to those sessions. */
const TALKS: ReadonlySet<SessionKind> = new Set(["main", "direct", "group", "channel"]);

/** Whether an agent's memory includes transcripts. */
export function remembersTranscripts({ memorySearch }: Pick<Agent, "memorySearch">): boolean {
  const { enabled, sources, experimental } = memorySearch;
  return enabled && experimental.sessionMemory && sources.includes("sessions");
}

/** Whether a session's transcript is indexed: it is a conversation with people, and not for a single request. */
export function isRemembered(sessionKey: string): boolean {
  try {
    return TALKS.has(parseSessionKey(sessionKey).kind) && !isForOneRequest(sessionKey);
  } catch (error) {
    if (error instanceof IsopodError) return false;
    throw error;
  }
}
