import { IsopodError } from "../lib/errors.ts";
import type { ResetPolicy } from "./reset-time.ts";
import type { EndedConversation } from "./run.ts";
import { readSessionRow, saveConversation } from "./session-row.ts";
import type { Store } from "./store.ts";
import { agentIn, type Wiring } from "./wiring.ts";

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

/** When conversations of an agent begin anew by themselves; undefined for never, also with a configuration not valid. */
export function resetPolicyIn(wiring: () => Wiring, agentId: string): ResetPolicy | undefined {
  try {
    const { mode, atHour, idleMinutes } = wiring().config.session.reset;
    if (mode === "none") return undefined;
    const { userTimezone: zone = "UTC" } = agentIn(wiring(), agentId).defaults;
    return mode === "daily" ? { mode, atHour, zone } : { mode, idleMinutes };
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}
