import type { Delivery, Target } from "../channels/channel.ts";
import { originRules } from "../config/origins.ts";
import type { Message } from "../models/message.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import type { NewRun } from "../session-store/admission.ts";
import type { OutboxRow } from "../session-store/outbox.ts";
import { isBegun, type RunState, type SettledRun } from "../session-store/run.ts";
import type { OpenRun } from "../session-store/runs.ts";
import { SESSION_CHANNEL } from "../session-store/session-channel.ts";

/** Runs the `agent_end` hooks. Runs that never started and commands have no turn. */
export function runAgentEndHooks(
  row: OpenRun,
  ended: SettledRun,
  hooks: SessionHooks,
  messages: () => readonly Message[],
): void {
  if (ended.status === "joined" || ended.status === "dropped" || !isTurn(row.state)) return;
  const { status, startedAt, endedAt, usage, model, error } = ended;
  if (startedAt === undefined) return;
  const made = () => ({
    status,
    messages: messages(),
    usage,
    durationMs: endedAt - startedAt,
    ...(model !== undefined && { model }),
    ...(error && { error: error.message }),
  });
  hooks.later("agent_end", made, row.id);
}

function isTurn(state: RunState): boolean {
  return !isBegun(state) || originRules(state.origin).isTurn;
}

/** Runs the `message_received` hooks for a stored message of a person, in the background. */
export function runReceivedHooks({ runId, input, target }: NewRun, hooks: SessionHooks): void {
  const { origin, sender, text } = input;
  if (!originRules(origin).isFromPerson) return;
  hooks.later("message_received", () => ({ text, ...(sender && { sender }), ...(target && { target }) }), runId);
}

/** Runs the `message_sent` hooks with the outcome of a delivery attempt. */
export function runSentHooks(
  { text, target, deliveryId, runId }: OutboxRow & { target: Target },
  delivery: Delivery,
  hooks: SessionHooks,
): void {
  if (target.channel === SESSION_CHANNEL) return;
  const { outcome } = delivery;
  const why = "reason" in delivery ? { reason: delivery.reason } : {};
  hooks.later("message_sent", () => ({ content: text, target, deliveryId, outcome, ...why }), runId);
}
