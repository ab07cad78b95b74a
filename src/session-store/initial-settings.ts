import type { AcceptRequest } from "./accept-request.ts";
import type { NewSession } from "./session-row.ts";

/** What a session begins with that a message begins. */
export function newSession(
  { sessionKey: key, agentId, input: { origin }, lingerMs }: AcceptRequest,
  now: number,
): NewSession {
  const spawned = origin?.kind === "spawn" ? origin.spawned : undefined;
  return { key, agentId, settings: { ...(spawned && { spawned }), ...(lingerMs !== undefined && { lingerMs }) }, now };
}
