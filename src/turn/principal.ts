import type { Target } from "../channels/channel.ts";
import { originRules } from "../config/origins.ts";
import type { CoreConfig } from "../config/schema.ts";
import { placeOf } from "../config/session-key.ts";
import { isForPeople, type Message, type Sender } from "../models/message.ts";
import type { RunOrigin } from "../session-store/run-input.ts";

/** The sender of a turn, and the kind of conversation. */
export interface Principal {
  /** Owners may use everything; other senders may only chat. */
  owner: boolean;
  place: Target["kind"];
  /** The sender as `channel:id`, also of a turn that the system starts for one; absent if there is no such person. */
  sender?: string;
}

const SYSTEM_ID = "system";

/** The sender of what the system says to the agent with the rights of a turn. */
export function systemSender({ owner, sender }: { owner: boolean; sender?: string | undefined }): Sender {
  return { id: SYSTEM_ID, name: "System", owner, ...(sender !== undefined && { behalfOf: sender }) };
}

/** The person of a message, as `channel:id`. */
export function senderName(sender: Sender | undefined, target: Target | null): string | undefined {
  if (sender?.id === SYSTEM_ID) return sender.behalfOf;
  return target && sender ? `${target.channel}:${sender.id}` : undefined;
}

/**
 * The principal of a turn: the sender of the last user message, or the owner for origins that act for one. A turn
 * without a target comes from an API client or another session; its kind of conversation then follows from the session
 * key, because replies in a group's session are visible to the group.
 */
export function principalOf(
  messages: readonly Message[],
  { target, sessionKey }: { target: Target | null; sessionKey: string },
  origin: RunOrigin | undefined,
): Principal {
  const said = messages.findLast((message) => message.role === "user" && isForPeople(message));
  const isSaid = said?.role === "user" && said.sender?.owner === true;
  const owner = isSaid || originRules(origin).principal === "owner";
  const place = target?.kind ?? placeOfOrigin(origin) ?? placeOf(sessionKey);
  const sender = said?.role === "user" ? senderName(said.sender, target) : undefined;
  return { owner, place, ...(sender !== undefined && { sender }) };
}

/** Where people read what a run says that another session has started. */
function placeOfOrigin(origin: RunOrigin | undefined): Principal["place"] | undefined {
  if (origin?.kind === "spawn") return origin.people?.kind;
  return origin?.kind === "nested" ? placeOf(origin.fromKey) : undefined;
}

/** Whether the turn answers an owner in a direct conversation. */
export function isOwnerAlone({ owner, place }: Principal): boolean {
  return owner && place === "direct";
}

/** Whether personal files (USER.md, MEMORY.md, daily notes) may be shown in a turn. */
export function isPersonal(principal: Principal, { prompt: { personalFiles } }: Pick<CoreConfig, "prompt">): boolean {
  if (personalFiles === "always") return true;
  return personalFiles === "direct" ? principal.place === "direct" : isOwnerAlone(principal);
}
