import type { CoreConfig } from "../config/schema.ts";
import type { Principal } from "./principal.ts";

/** Whether an owner talks to the agent and nobody else listens. */
export function isOwnerAlone({ owner, place }: Principal): boolean {
  return owner && place === "direct";
}

/** Whether what is personal (USER.md, MEMORY.md, daily notes) may be shown to a model that answers somebody. */
export function isPersonal(principal: Principal, { prompt: { personalFiles } }: Pick<CoreConfig, "prompt">): boolean {
  if (personalFiles === "always") return true;
  return personalFiles === "direct" ? principal.place === "direct" : isOwnerAlone(principal);
}
