import { z } from "zod";
import type { Delivery, OutboundPart } from "../channel.ts";
import { wecomMarkup } from "../markup/wecom.ts";
import { deliveryOf, STOPPED } from "../platform-call.ts";
import { credentialsMissing, type WecomContext, type WecomCredentials, wecomCredentials } from "./account.ts";
import { callWecom, type WecomAnswer } from "./api.ts";
import { questionCard, typedAnswers } from "./card.ts";
import { explainRefusal } from "./refusals.ts";
import { isUserId } from "./user-id.ts";

/** Sends one part: as a card if it has buttons that fit, else as the account's kind of message. */
export async function sendPart(part: OutboundPart, context: WecomContext, signal: AbortSignal): Promise<Delivery> {
  const credentials = wecomCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  if (signal.aborted) return STOPPED;
  const card = questionCard(part);
  const message = card === undefined ? textMessage(part, context) : { msgtype: "template_card", template_card: card };
  return sendMessage(part.target.conversationId, message, { context, credentials, signal });
}

function textMessage({ text, buttons = [] }: OutboundPart, { account }: WecomContext) {
  const answers = typedAnswers(buttons);
  const whole = answers === "" ? text : `${text}\n\n${answers}`;
  const content = wecomMarkup.limit.size(whole) > wecomMarkup.limit.most ? text : whole;
  if (account.messageType === "text") return { msgtype: "text", text: { content: bareText(content) } };
  return { msgtype: "markdown", markdown: { content } };
}

/** The words without markup, with the addresses of links behind them. */
function bareText(content: string): string {
  return wecomMarkup.plain(content.replace(/\[([^\]\n]*)\]\((https?:[^)\s]*)\)/g, "$1 ($2)"));
}

/** How a request is made. */
export interface WecomCaller {
  context: WecomContext;
  credentials: WecomCredentials;
  signal: AbortSignal;
}

/** For how long the same message again is the same one, in seconds: longer than a delivery is repeated at once. */
const DUPLICATE_SEC = 120;

const sentMessage = z.object({ msgid: z.string() });

/** Sends a message to a member. */
export async function sendMessage(
  userId: string,
  message: object,
  { context, credentials, signal }: WecomCaller,
): Promise<Delivery> {
  if (!isUserId(userId)) return { outcome: "failed", reason: `'${userId}' is no id of a member.` };
  // WeCom compares contents, and would drop the same words that are meant again: so it does where doubles can occur.
  const once = { enable_duplicate_check: 1, duplicate_check_interval: DUPLICATE_SEC };
  const body = {
    ...{ touser: userId, agentid: credentials.agentId },
    ...message,
    ...(context.account.deliveries.atLeastOnce && once),
  };
  const answer = await callWecom(context, credentials, { path: "message/send", body }, signal);
  return toDelivery(answer, context);
}

/** The delivery outcome of a request. */
export function toDelivery(answer: WecomAnswer, context: WecomContext): Delivery {
  return deliveryOf(answer, {
    platform: "WeCom",
    externalId: (json) => sentMessage.safeParse(json).data?.msgid,
    explain: () => (answer.kind === "refused" ? explainRefusal(answer, context) : undefined),
  });
}
