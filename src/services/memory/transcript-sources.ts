import type { Agent } from "../../config/agents.ts";
import { isForOneRequest, parseSessionKey, type SessionKind } from "../../config/session-key.ts";
import { IsopodError } from "../../lib/errors.ts";

/** Sessions in which people talk. What a sub-agent, a job or a hook has done is told where somebody waits for it. */
const TALKS: ReadonlySet<SessionKind> = new Set(["main", "direct", "group", "channel"]);

/** Whether an agent's memory consists of what was said, too. */
export function remembersTranscripts({ memorySearch }: Pick<Agent, "memorySearch">): boolean {
  const { enabled, sources, experimental } = memorySearch;
  return enabled && experimental.sessionMemory && sources.includes("sessions");
}

/** Whether what is said in a session is to be remembered: a conversation with people, and not for one request alone. */
export function isRemembered(sessionKey: string): boolean {
  try {
    return TALKS.has(parseSessionKey(sessionKey).kind) && !isForOneRequest(sessionKey);
  } catch (error) {
    if (error instanceof IsopodError) return false;
    throw error;
  }
}
