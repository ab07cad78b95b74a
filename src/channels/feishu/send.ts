import { z } from "zod";
import type { Delivery, OutboundPart, Target } from "../channel.ts";
import { feishuMarkup } from "../markup/markdown-platforms.ts";
import { deliveryOf, STOPPED } from "../platform-call.ts";
import { credentialsMissing, type FeishuContext, type FeishuCredentials, feishuCredentials } from "./account.ts";
import { cardButtons, cardContent, plainCardContent } from "./card.ts";
import { callFeishu, type FeishuAnswer } from "./open-api.ts";
import { explainRefusal, isAnsweredGone, isUnreadableCard } from "./refusals.ts";

/** Sends one part as a card; as plain text in the same delivery if Feishu cannot show the card. */
export async function sendPart(part: OutboundPart, context: FeishuContext, signal: AbortSignal): Promise<Delivery> {
  const credentials = feishuCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  if (signal.aborted) return STOPPED;
  const { target, deliveryId, text, buttons = [] } = part;
  const keys = cardButtons(buttons, target);
  const send = (content: string) =>
    sendMessage({ type: "interactive", content, target, deliveryId }, { context, credentials, signal });
  const answer = await send(cardContent(text, keys));
  if (!isUnreadableCard(answer)) return toDelivery(answer, context);
  return toDelivery(await send(plainCardContent(feishuMarkup.plain(text), keys)), context);
}

/** A message to send. */
export interface FeishuOutgoing {
  type: "interactive" | "image" | "file" | "audio" | "media";
  /** JSON, by the type. */
  content: string;
  target: Target;
  /** Feishu sends a message once under the same id, within an hour. */
  deliveryId: string;
}

/** How a request is made. */
export interface FeishuCaller {
  context: FeishuContext;
  credentials: FeishuCredentials;
  signal: AbortSignal;
}

/** Sends a message. One that answers a message which is gone is sent without it, as far as it is not in a topic. */
export async function sendMessage(
  { type, content, target, deliveryId }: FeishuOutgoing,
  { context, credentials, signal }: FeishuCaller,
): Promise<FeishuAnswer> {
  const message = { msg_type: type, content, uuid: deliveryId };
  const { conversationId, threadId, replyToId, via } = target;
  const answered = replyToId ?? (threadId === undefined ? undefined : via);
  if (answered === undefined && threadId !== undefined) return TOPIC_WITHOUT_MESSAGE;
  if (answered !== undefined) {
    const path = `im/v1/messages/${encodeURIComponent(answered)}/reply`;
    const body = { ...message, reply_in_thread: threadId !== undefined };
    const answer = await callFeishu(context, credentials, { path, body }, signal);
    if (!isAnsweredGone(answer) || threadId !== undefined) return answer;
  }
  const path = `im/v1/messages?receive_id_type=${conversationId.startsWith("ou_") ? "open_id" : "chat_id"}`;
  return callFeishu(context, credentials, { path, body: { ...message, receive_id: conversationId } }, signal);
}

const TOPIC_WITHOUT_MESSAGE: FeishuAnswer = {
  ...{ kind: "refused", status: 400, json: undefined },
  description: "a topic is written to by an answer to one of its messages",
};

const sentMessage = z.object({ data: z.object({ message_id: z.string() }) });

/** The delivery outcome of a sending request. */
export function toDelivery(answer: FeishuAnswer, context: FeishuContext): Delivery {
  return deliveryOf(answer, {
    platform: "Feishu",
    externalId: (json) => sentMessage.safeParse(json).data?.data.message_id,
    explain: () => (answer.kind === "refused" ? explainRefusal(answer, context) : undefined),
  });
}
