import type { Target } from "../channels/channel.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { newId } from "../lib/ids.ts";
import { type AssistantMessage, NO_USAGE } from "../models/message.ts";
import type { RunOrigin } from "./run.ts";
import type { AcceptRequest } from "./run-request.ts";
import type { RunResult } from "./run-result.ts";

/**
 * The "channel" to another session: what was sent to its people from here is told to it by the outbox, as everything
 * else is sent. Unlike a platform it knows what it has heard, so that it is told until it has.
 */
export const SESSION_CHANNEL = "session";

/** The way to a session. */
export function sessionTarget(sessionKey: string): Target {
  const { agentId } = parseSessionKey(sessionKey);
  return { channel: SESSION_CHANNEL, accountId: agentId, kind: "direct", conversationId: sessionKey };
}

/**
 * What the session is asked that owns a conversation: to keep what was sent there. It is a run like any other, which
 * waits for its turn and asks no model.
 */
export function noteRequest(note: {
  to: Target;
  text: string;
  deliveryId: string;
  fromKey: string;
}): Omit<AcceptRequest, "runId"> {
  const { to, text, deliveryId, fromKey } = note;
  return {
    sessionKey: to.conversationId,
    agentId: to.accountId,
    idempotencyKey: `delivery:${deliveryId}`,
    input: {
      text: `[System] What follows was sent to this conversation from the session ${fromKey}.`,
      sender: { id: "system", name: "System", owner: false },
      timeoutSeconds: 0,
      origin: { kind: "delivery", fromKey, text },
    },
  };
}

/** The turn of such a run: what was sent stands in the transcript as what the agent said. */
export function noteResult({ text }: Extract<RunOrigin, { kind: "delivery" }>, at: number): RunResult {
  const message: AssistantMessage = {
    role: "assistant",
    id: newId("msg", at),
    at,
    parts: [{ type: "text", text }],
    stop: "stop",
    usage: NO_USAGE,
    model: "isopod/message",
  };
  return { status: "ok", message, texts: [] };
}
