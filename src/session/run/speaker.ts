import type { Target } from "../../channels/channel.ts";
import type { Message } from "../../models/message.ts";
import type { RunOrigin } from "./run.ts";

/** Who speaks in a turn, and in front of whom. */
export interface Speaker {
  /** Owners may do everything; everyone else only talks. */
  owner: boolean;
  place: Target["kind"];
}

/**
 * Who speaks, by the last thing that somebody said; only owners give commands. A turn without a target is its owner's
 * own page or program.
 */
export function speakerOf(messages: readonly Message[], target: Target | null, origin: RunOrigin | undefined): Speaker {
  const said = messages.findLast((message) => message.role === "user" && !message.inner);
  const isSaid = said?.role === "user" && said.sender?.owner === true;
  const owner = isSaid || origin?.kind === "command" || origin?.kind === "reset";
  return { owner, place: target?.kind ?? "direct" };
}
