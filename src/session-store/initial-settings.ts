import type { AcceptRequest } from "./accept-request.ts";
import type { Birth } from "./session-row.ts";

/** What a session begins with that a message begins. */
export function birthOf({ sessionKey: key, agentId, input: { origin }, lingerMs }: AcceptRequest, now: number): Birth {
  const spawned = origin?.kind === "spawn" ? origin.spawned : undefined;
  return { key, agentId, settings: { ...(spawned && { spawned }), ...(lingerMs !== undefined && { lingerMs }) }, now };
}
