import type { EndedConversation } from "./run.ts";
import { readSessionRow, saveConversation } from "./session-row.ts";
import type { Store } from "./store.ts";

/**
 * Begins a new conversation under the same key, within the fence. The history stays; no model sees what came before.
 *
 * Of its settings, the model goes (unless one is named): it was chosen for the conversation that is over. How the
 * session treats people (queue, thinking, reasoning, verbose, usage) and what they have allowed stays.
 * @param fromSeq number of its first event
 */
export function beginAnew(
  store: Store,
  fromSeq: number,
  { model, now }: { model?: string; now: number },
): EndedConversation | undefined {
  const before = readSessionRow(store);
  if (before === undefined) return undefined;
  const { model: _, ...settings } = before.settings;
  saveConversation(store, { fromSeq, settings: { ...settings, ...(model !== undefined && { model }) }, now });
  return { sessionId: before.sessionId, fromSeq: before.contextSeq, beforeSeq: fromSeq };
}
