import type { Target } from "../channels/channel.ts";
import type { Message } from "../models/message.ts";

/** Who speaks in a turn, and in front of whom. */
export interface Speaker {
  /** Owners may do everything; everyone else only talks. */
  owner: boolean;
  place: Target["kind"];
}

/** Who speaks, by the last thing that somebody said. A turn without a target is its owner's own page or program. */
export function speakerOf(messages: readonly Message[], target: Target | null): Speaker {
  const said = messages.findLast((message) => message.role === "user");
  const owner = said?.role === "user" && said.sender?.owner === true;
  return { owner, place: target?.kind ?? "direct" };
}
