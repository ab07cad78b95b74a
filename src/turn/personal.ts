import type { CoreConfig } from "../config/schema.ts";
import type { Principal } from "./principal.ts";

/** Whether the turn answers an owner in a direct conversation. */
export function isOwnerAlone({ owner, place }: Principal): boolean {
  return owner && place === "direct";
}

/** Whether personal files (USER.md, MEMORY.md, daily notes) may be shown in a turn. */
export function isPersonal(principal: Principal, { prompt: { personalFiles } }: Pick<CoreConfig, "prompt">): boolean {
  if (personalFiles === "always") return true;
  return personalFiles === "direct" ? principal.place === "direct" : isOwnerAlone(principal);
}
