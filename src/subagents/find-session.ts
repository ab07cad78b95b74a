import { parseSessionKey } from "../config/session-key.ts";
import { refusalToReach } from "../config/session-reach.ts";
import { findChild } from "../session-store/subagent-rows.ts";
import type { Caller } from "./caller.ts";
import { childMeant } from "./find-subagent.ts";
import { shownChildren } from "./subagent-view.ts";

/**
 * The session that a text means, by its key or a sub-agent's label, where the run may reach it.
 * @throws Error that names the setting where it may not
 */
export async function sessionMeant(text: string, caller: Caller): Promise<string> {
  const { store } = caller.room;
  const otherKey = text.startsWith("agent:") ? text : childMeant(shownChildren(store), text).sessionKey;
  const refusal = refusalToReach({ ...reachOf(caller), otherKey, isDescendant: await isDescendant(otherKey, caller) });
  if (refusal !== undefined) throw new Error(refusal);
  return otherKey;
}

/** What of a question whether a session can be reached is the same for all others. */
export function reachOf({ room }: Caller) {
  return { tools: room.wiring().config.tools, ownKey: room.owner().key };
}

/** Whether a session was started from here. One that was started by another one knows itself from where. */
async function isDescendant(sessionKey: string, { room }: Caller): Promise<boolean> {
  if (findChild(room.store, sessionKey) !== undefined) return true;
  if (parseSessionKey(sessionKey).kind !== "subagent") return false;
  const kin = await room.call(sessionKey, (session) => session.kin());
  return kin?.lineage.includes(room.owner().key) ?? false;
}
