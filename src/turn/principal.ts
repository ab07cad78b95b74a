import type { Target } from "../channels/channel.ts";
import { originRules } from "../config/origins.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { isForPeople, type Message } from "../models/message.ts";
import type { RunOrigin } from "../session-store/run.ts";

/** Who speaks in a turn, and in front of whom. */
export interface Principal {
  /** Owners may do everything; everyone else only talks. */
  owner: boolean;
  place: Target["kind"];
}

/**
 * Who speaks, by the last thing that somebody said; only owners give commands. A turn without a target is its owner's
 * own page or program, or another session; but what is said in a group's session, its members come to hear.
 */
export function principalOf(
  messages: readonly Message[],
  { target, sessionKey }: { target: Target | null; sessionKey: string },
  origin: RunOrigin | undefined,
): Principal {
  const said = messages.findLast((message) => message.role === "user" && isForPeople(message));
  const isSaid = said?.role === "user" && said.sender?.owner === true;
  const owner = isSaid || originRules(origin).principal === "owner";
  return { owner, place: target?.kind ?? kindOf(sessionKey) };
}

function kindOf(sessionKey: string): Principal["place"] {
  const { kind } = parseSessionKey(sessionKey);
  return kind === "group" || kind === "channel" ? kind : "direct";
}
