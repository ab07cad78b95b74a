import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { lastAtHour } from "../lib/zone.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { EndedConversation } from "./run.ts";
import { type SessionRow, saveConversation } from "./session-row.ts";
import type { Store } from "./store.ts";

/**
 * Begins a new conversation under the same key, within the fence. The history stays; no model sees what came before.
 *
 * Of its settings, the model goes (unless one is named): it was chosen for the conversation that is over. So does what
 * the model was told, for it does not see that any more. How the
 * session treats people (queue, thinking, reasoning, verbose, usage) and what they have allowed stays.
 * @param before the session as it was
 * @param fromSeq number of the first event of the new one. Gives its id, and which one ended
 */
export function startConversation(
  store: Store,
  before: SessionRow,
  fromSeq: number,
  { model, now }: { model?: string; now: number },
): { sessionId: string; ended: EndedConversation } {
  const { model: _, truncationWarned: __, ...settings } = before.settings;
  const sessionId = newId("ses", now);
  saveConversation(store, { sessionId, fromSeq, settings: { ...settings, ...(model !== undefined && { model }) } });
  return { sessionId, ended: { sessionId: before.sessionId, fromSeq: before.contextSeq, beforeSeq: fromSeq } };
}

/** When conversations of an agent begin anew by themselves; undefined for never, also with a configuration not valid. */
export function resetPolicyIn(services: () => Services, agentId: string): ResetPolicy | undefined {
  try {
    const { mode, atHour, idleMinutes } = services().config.session.reset;
    if (mode === "none") return undefined;
    const { userTimezone: zone = "UTC" } = agentIn(services(), agentId).defaults;
    return mode === "daily" ? { mode, atHour, zone } : { mode, idleMinutes };
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}

/** When a conversation is over by itself: each day at an hour in a time zone, or after a pause. */
export type ResetPolicy = { mode: "daily"; atHour: number; zone: string } | { mode: "idle"; idleMinutes: number };

/**
 * Whether a conversation is over by the time at which somebody speaks again. Instants are milliseconds since the epoch.
 * @param lastSaidAt when somebody spoke before; 0 where that is not known
 */
export function isOver(policy: ResetPolicy, lastSaidAt: number, saidAt: number): boolean {
  if (lastSaidAt === 0) return false;
  if (policy.mode === "idle") return saidAt - lastSaidAt >= policy.idleMinutes * 60_000;
  return lastSaidAt < lastAtHour(saidAt, policy.atHour, policy.zone);
}
