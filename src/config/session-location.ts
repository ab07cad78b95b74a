import { agentEntryOf } from "./agents.ts";
import type { CoreConfig } from "./schema.ts";
import { parseSessionKey } from "./session-key.ts";
import type { SessionLocation } from "./session-schema.ts";

/** Where a new session's object is created: its agent's setting counts first, then its channel's, then the general one. */
export function locationOf({ agents, session }: Pick<CoreConfig, "agents" | "session">, key: string): SessionLocation {
  const { agentId, kind, parts } = parseSessionKey(key);
  const isOfChannel = (kind === "direct" || kind === "group" || kind === "channel") && parts.length > 2;
  const ofChannel = isOfChannel ? session.locationByChannel[parts[0] ?? ""] : undefined;
  return agentEntryOf({ agents }, agentId)?.location ?? ofChannel ?? session.location;
}
