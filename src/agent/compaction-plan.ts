import { messageTokens, tokensOf } from "./context-size.ts";
import type { View } from "./journal.ts";

/** What is shorter is not worth a summary, in tokens. */
const LEAST_TOKENS = 400;

/**
 * Where a summary ends: the index of the first message that stays as it is. What stays is the newest messages that have
 * at most `keepTokens` together, and always the last one; a call and its results are never parted. It begins with what
 * somebody said where that is not much less. Undefined where there is too little before it.
 */
export function firstKept(view: Pick<View, "messages" | "pinned">, keepTokens: number): number | undefined {
  const { messages, pinned } = view;
  let kept = 0;
  let start: number | undefined;
  let said: { at: number; kept: number } | undefined;
  for (let at = messages.length - 1; at > pinned; at--) {
    const message = messages[at];
    if (message === undefined) break;
    kept += messageTokens(message);
    if (kept > keepTokens && start !== undefined) break;
    // Results stand behind their call, so whatever is none may come first.
    if (message.role !== "tool") start = at;
    if (message.role === "user") said = { at, kept };
  }
  const first = said !== undefined && said.kept >= Math.min(kept, keepTokens) / 2 ? said.at : start;
  if (first === undefined || tokensOf(messages.slice(pinned, first)) < LEAST_TOKENS) return undefined;
  return first;
}
