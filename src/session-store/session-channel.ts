import type { Target } from "../channels/channel.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { newId } from "../lib/ids.ts";
import { type AssistantMessage, NO_USAGE } from "../models/message.ts";
import type { RunOrigin } from "./run-input.ts";
import type { AcceptRequest } from "./run-request.ts";
import type { RunResult } from "./run-result.ts";

/**
 * The channel id of another session: the outbox also delivers what was sent to that session's people. A session accepts
 * a repeated delivery once, so it is retried until it succeeds.
 */
export const SESSION_CHANNEL = "session";

/** The target for a session. */
export function sessionTarget(sessionKey: string): Target {
  const { agentId } = parseSessionKey(sessionKey);
  return { channel: SESSION_CHANNEL, accountId: agentId, kind: "direct", conversationId: sessionKey };
}

/**
 * The run that stores a sent message in the session of its conversation. It is queued like any other and calls no
 * model.
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

/** The result of such a run: the transcript has the text as a reply of the agent. */
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
