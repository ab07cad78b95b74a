import { z } from "zod";
import { toBase64 } from "../../lib/base64.ts";
import { within } from "../../lib/deadline.ts";
import { log } from "../../lib/log.ts";
import { settingName } from "../account-fields.ts";
import type { Addressed, Buttons, Delivery, OutboundFile, OutboundPart, Target } from "../channel.ts";
import { deliveryOf, type PlatformAnswer, STOPPED } from "../platform-call.ts";
import { type BotLogin, botLogin, loginMissing, type MsteamsAccount, type MsteamsContext } from "./account.ts";
import { callConnector, refusalCode } from "./connector.ts";
import { connectorId, isPerson } from "./conversation.ts";

const TYPING_TIMEOUT_MS = 5_000;

/** Sends one part. `deliveryId` is not used: the connector has no idempotency key. */
export async function sendPart(part: OutboundPart, context: MsteamsContext, signal: AbortSignal): Promise<Delivery> {
  const message = {
    ...{ type: "message", textFormat: "markdown", text: part.text },
    // Teams shows text and card as two messages, and then names the id of neither.
    ...(part.buttons && { attachments: [buttonCard(part.buttons)] }),
  };
  return post(message, part.target, context, signal);
}

/** Sends a picture inside the message. */
export async function sendPicture(file: OutboundFile, context: MsteamsContext, signal: AbortSignal): Promise<Delivery> {
  const { name, mediaType: contentType, bytes } = file;
  const attachment = { name, contentType, contentUrl: `data:${contentType};base64,${toBase64(bytes)}` };
  return post({ type: "message", attachments: [attachment] }, file.target, context, signal);
}

async function post(activity: object, target: Target, context: MsteamsContext, signal: AbortSignal): Promise<Delivery> {
  const login = botLogin(context);
  if (login === undefined) return { outcome: "failed", reason: loginMissing(context.account) };
  if (signal.aborted) return STOPPED;
  const opened = await openConversation(target, context, login, signal);
  if (typeof opened !== "string") return toDelivery(opened, context.account);
  const path = `conversations/${encodeURIComponent(opened)}/activities`;
  return toDelivery(
    await callConnector(context, login, { via: target.via, path, body: activity }, signal),
    context.account,
  );
}

const sent = z.object({ id: z.string().min(1) });

/** The conversation's id; a chat with a person is begun first, which may be repeated. */
async function openConversation(
  { conversationId, threadId, via }: Target,
  context: MsteamsContext,
  login: BotLogin,
  signal: AbortSignal,
): Promise<string | Exclude<PlatformAnswer, { kind: "ok" }>> {
  if (!isPerson(conversationId)) return connectorId(conversationId, threadId);
  const { appId, tenantId } = login;
  const body = {
    ...{ isGroup: false, bot: { id: `28:${appId}` }, members: [{ id: conversationId }] },
    ...(tenantId !== undefined && { tenantId, channelData: { tenant: { id: tenantId } } }),
  };
  const answer = await callConnector(context, login, { via, path: "conversations", body }, signal);
  if (answer.kind === "lost") return { kind: "unreached", reason: answer.reason };
  if (answer.kind !== "ok") return answer;
  return sent.safeParse(answer.json).data?.id ?? { kind: "unreached", reason: "the chat could not be begun" };
}

/** Shows that the bot is typing. */
export async function sendTyping({ target }: Addressed, context: MsteamsContext): Promise<void> {
  if (isPerson(target.conversationId)) return;
  const delivery = await within(TYPING_TIMEOUT_MS, (signal) => post({ type: "typing" }, target, context, signal));
  if (delivery.outcome !== "delivered") {
    log("debug", "channel.typing_failed", { channel: "msteams", accountId: context.accountId });
  }
}

/** A card that has nothing but buttons. Pressing one writes its label into the chat, and brings what it says. */
function buttonCard(buttons: Buttons): object {
  const rows = buttons.map((row) => ({
    type: "ActionSet",
    actions: row.map(({ label, says }) => ({
      ...{ type: "Action.Submit", title: label },
      data: { msteams: { type: "messageBack", text: says, displayText: label, value: { says } } },
    })),
  }));
  return {
    contentType: "application/vnd.microsoft.card.adaptive",
    content: { type: "AdaptiveCard", version: "1.4", body: rows },
  };
}

/** The pause where the connector names none. */
const CONFLICT_MS = 2_000;

/**
 * The delivery outcome of a call. Of the statuses that Microsoft asks to repeat, 412 was surely not sent; behind 502 and
 * 504 the message may have been.
 * @see https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit
 */
function toDelivery(answer: PlatformAnswer, account: MsteamsAccount): Delivery {
  if (answer.kind === "refused" && answer.status === 412) {
    return { outcome: "retry", afterMs: answer.retryAfterMs ?? CONFLICT_MS, reason: `Teams: ${answer.description}` };
  }
  return deliveryOf(answer, {
    platform: "Teams",
    externalId: (json) => sent.safeParse(json).data?.id,
    explain: (status, description) => {
      const code = answer.kind === "refused" ? refusalCode(answer.json) : undefined;
      return explain(status, code, account)?.concat(`: ${description}`);
    },
  });
}

const REFUSALS: Readonly<Record<string, string>> = {
  ConversationBlockedByUser: "The person has blocked the bot",
  MessageWritesBlocked: "The person has blocked or removed the bot",
  BotNotInConversationRoster: "The bot is not in this conversation any more: add the app again",
  ForbiddenOperationException: "The app is not installed for this person: install it, or let the person add it",
  BotDisabledByAdmin: "The tenant's administrator has switched the bot off",
  ConversationNotFound: "There is no such conversation any more",
  MessageSizeTooBig: "The message is too large for Teams",
};

function explain(status: number, code: string | undefined, account: MsteamsAccount): string | undefined {
  const known = code === undefined ? undefined : REFUSALS[code];
  if (known !== undefined) return known;
  if (status !== 401) return undefined;
  const { appId, appPassword, tenantId } = account;
  return `Microsoft does not accept the bot's login. Check ${settingName(appId, "appId")}, ${appPassword.id} and ${settingName(tenantId, "tenantId")}; client secrets run out`;
}
