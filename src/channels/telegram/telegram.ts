import { log } from "../../lib/log.ts";
import { secretEqual } from "../../security/secret-equal.ts";
import type { Channel, Conversation, ReceiveResult } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { type TelegramAccount, type TelegramContext, telegramAccount } from "./account.ts";
import { messageAttachments, openAttachment } from "./attachment.ts";
import { botToken, tokenMissing } from "./bot-api.ts";
import { pressedButton, reasonToIgnore, toInbound } from "./inbound.ts";
import { telegramMarkup } from "./markup.ts";
import { commandAddressee, identify, isAddressed, isName, mayAddressBot } from "./mention.ts";
import { react, sendFile, sendPart, sendTyping, showMenu } from "./send.ts";
import { readUpdate, type TelegramMessage, type TelegramPress } from "./update.ts";

/** The Telegram channel: a bot with a webhook. */
export const telegram: Channel<TelegramAccount> = {
  id: "telegram",
  account: telegramAccount,
  capabilities: ["approvals", "files", "inline-buttons", "native-replies", "reactions", "voice-notes"],
  threadWord: "topic",
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  replyToMode: (account) => account.replyToMode,
  receive,
  openAttachment,
  isReady: (context) => botToken(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, telegramMarkup),
  plain: telegramMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: sendPart,
  sendFile,
  reactions: { level: (account) => account.reactionLevel, react },
  menu: { isOn: (account) => account.commandMenu, show: showMenu },
  typing: sendTyping,
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  connect: async (...args) => (await import("./connect.ts")).connectBot(...args),
  startLink: async (context, code) => {
    const token = botToken(context);
    const bot = token === undefined ? undefined : await identify(context, token);
    return bot && `https://t.me/${bot.username}?start=${code}`;
  },
};

/** User ids are positive, group ids negative; a public channel may also be named. */
function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  if (/^@\w{5,32}$/.test(id)) return { kind: "channel", id };
  if (!/^-?[1-9]\d{0,15}$/.test(id)) return undefined;
  return { kind: id.startsWith("-") ? "group" : "direct", id };
}

async function receive(request: Request, context: TelegramContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  if (!(await isFromTelegram(request, context))) return refuse("unauthorized", "The secret token is wrong.");
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const json = parseJson(body);
  if (json === undefined) return refuse("invalid_request", "The body is not JSON.");
  const update = readUpdate(json);
  if (update.kind === "invalid") return refuse("invalid_request", `Not an update of the Bot API: ${update.problem}`);
  if (update.kind === "other") return { kind: "answered", reason: update.reason };
  if (update.kind === "press") return receivePress(update.updateId, update.press);
  return receiveMessage(update, context);
}

/** Telegram sends setWebhook's secret with every call. Without a configured secret every call is refused. */
async function isFromTelegram(request: Request, { accountId, account, secret }: TelegramContext): Promise<boolean> {
  const expected = secret(account.webhookSecret);
  if (!expected) {
    log("error", "channel.not_configured", { channel: "telegram", accountId, variable: account.webhookSecret.id });
    return false;
  }
  return secretEqual(request.headers.get("X-Telegram-Bot-Api-Secret-Token") ?? "", expected);
}

/** The webhook's response acknowledges the press, which saves a call. */
function receivePress(updateId: number, press: TelegramPress): ReceiveResult {
  const message = pressedButton(updateId, press);
  if (message === undefined) return { kind: "answered", reason: "a button without data" };
  const answer = { method: "answerCallbackQuery", callback_query_id: press.id };
  return { kind: "events", events: [message], answer: () => Response.json(answer) };
}

/** Answers 503 if it cannot decide now: Telegram then retries. */
async function receiveMessage(
  { updateId, message, edited }: { updateId: number; message: TelegramMessage; edited: boolean },
  context: TelegramContext,
): Promise<ReceiveResult> {
  const reason = reasonToIgnore(message);
  if (reason !== undefined) return { kind: "answered", reason };
  const token = botToken(context);
  if (token === undefined) return refuse("unavailable", tokenMissing(context.account));
  const addressed = await addressing(message, context, token);
  if (addressed === "unknown") return refuse("unavailable", "Telegram does not answer who the bot is.");
  if (addressed === "other bot") return { kind: "answered", reason: "a command for another bot" };
  const facts = { updateId, mentioned: addressed === "agent", edited };
  const inbound = toInbound(message, messageAttachments(message), facts);
  return inbound ? { kind: "events", events: [inbound] } : { kind: "answered", reason: "it has no content" };
}

/** Whom a message addresses. The bot's identity is requested only if it matters. */
async function addressing(
  message: TelegramMessage,
  context: TelegramContext,
  token: string,
): Promise<"agent" | "everyone" | "other bot" | "unknown"> {
  if (message.chat.type === "private") return "agent";
  if (!mayAddressBot(message)) return "everyone";
  const bot = await identify(context, token);
  if (bot === undefined) return "unknown";
  if (isAddressed(message, bot)) return "agent";
  const addressee = commandAddressee(message);
  return addressee !== undefined && !isName(addressee, bot) ? "other bot" : "everyone";
}
