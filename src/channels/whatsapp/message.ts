import type { OutboundPart, Target } from "../channel.ts";
import type { Credentials, WhatsAppContext } from "./account.ts";
import { callGraph, type GraphAnswer } from "./graph-api.ts";
import { isWindowClosed } from "./graph-error.ts";

/** What a message is sent with. */
export interface Sending {
  context: WhatsAppContext;
  credentials: Credentials;
  signal: AbortSignal;
}

/** A message's type, and what it consists of in a field of that name. */
export type MessageContent = { type: string } & Record<string, unknown>;

/**
 * Sends a message, as a native reply where the target says so.
 * @param deliveryId Meta gives it back in statuses; it is no idempotency key. Absent for reactions
 */
export function sendMessage(
  { target, deliveryId }: Pick<OutboundPart, "target"> & { deliveryId?: string },
  content: MessageContent,
  { context, credentials, signal }: Sending,
): Promise<GraphAnswer> {
  const { replyToId } = target;
  const body = {
    messaging_product: "whatsapp",
    ...receiver(target),
    ...(replyToId !== undefined && { context: { message_id: replyToId } }),
    ...content,
    ...(deliveryId !== undefined && { biz_opaque_callback_data: deliveryId }),
  };
  return callGraph(context, credentials, { path: `${credentials.phoneNumberId}/messages`, body }, signal);
}

/** A person who hides the number is addressed by Meta's id of them, which has a field of its own. */
function receiver({ kind, conversationId: id }: Target): object {
  if (kind !== "direct") return { recipient_type: "group", to: id };
  return { recipient_type: "individual", ...(/^\d+$/.test(id) ? { to: id } : { recipient: id }) };
}

/** Whether a message was refused because its receiver has not written for 24 hours. */
export function isRefusedAsClosed(answer: GraphAnswer): boolean {
  return answer.kind === "refused" && answer.error !== undefined && isWindowClosed(answer.error);
}
