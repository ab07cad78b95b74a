import type { Opts } from "@grammyjs/types";
import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import { log } from "../../lib/log.ts";
import { byteLength, head } from "../../lib/text.ts";
import type {
  Addressed,
  Buttons,
  Delivery,
  MenuCommand,
  OutboundFile,
  OutboundPart,
  Reaction,
  Target,
} from "../channel.ts";
import { deliveryOf, STOPPED } from "../platform-call.ts";
import type { TelegramAccount, TelegramContext } from "./account.ts";
import { type BotAnswer, botToken, callBot, type FileUpload, tokenMissing, type UploadMethod } from "./bot-api.ts";
import { telegramMarkup } from "./markup.ts";

const TYPING_TIMEOUT_MS = 5_000;

/**
 * Sends one part. If Telegram cannot parse the markup (400, so nothing was sent), the plain text is sent. `deliveryId`
 * is not used: the Bot API has no idempotency key.
 */
export async function sendPart(part: OutboundPart, context: TelegramContext, signal: AbortSignal): Promise<Delivery> {
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  if (signal.aborted) return STOPPED;
  const args = {
    ...messageArgs(part.target),
    link_preview_options: { is_disabled: true },
    ...(part.buttons && { reply_markup: keyboard(part.buttons) }),
  };
  const marked = { ...args, text: part.text, parse_mode: "HTML" } as const;
  const answer = await callBot(context, token, "sendMessage", marked, signal);
  if (!isUnreadableMarkup(answer)) return toDelivery(answer, context);
  const bare = { ...args, text: telegramMarkup.plain(part.text) };
  return toDelivery(await callBot(context, token, "sendMessage", bare, signal), context);
}

/** The delivery outcome for an account without a token. */
function withoutToken({ account }: TelegramContext): Delivery {
  return { outcome: "failed", reason: tokenMissing(account) };
}

/** Shows "typing…" for about five seconds. */
export async function sendTyping({ target }: Addressed, context: TelegramContext): Promise<void> {
  const token = botToken(context);
  if (token === undefined) return;
  const args = { ...chatArgs(target), action: "typing" } as const;
  const answer = await within(TYPING_TIMEOUT_MS, (signal) => callBot(context, token, "sendChatAction", args, signal));
  if (answer.kind !== "ok")
    log("debug", "channel.typing_failed", { channel: "telegram", accountId: context.accountId });
}

type SendMessageArgs = Omit<Opts<never>["sendMessage"], "text">;

/** The arguments for the chat and the replied-to message. */
function messageArgs(target: Target): Omit<SendMessageArgs, "link_preview_options"> {
  const messageId = Number(target.replyToId ?? Number.NaN);
  return {
    ...chatArgs(target),
    ...(Number.isSafeInteger(messageId) && {
      reply_parameters: { message_id: messageId, allow_sending_without_reply: true },
    }),
  };
}

/** The arguments for the chat. */
function chatArgs({ conversationId, threadId }: Target): Pick<SendMessageArgs, "chat_id" | "message_thread_id"> {
  const chatId = Number(conversationId);
  return {
    chat_id: Number.isSafeInteger(chatId) ? chatId : conversationId,
    ...(threadId !== undefined && { message_thread_id: Number(threadId) }),
  };
}

/** Longest callback data, in UTF-8 bytes. */
const MAX_CALLBACK_BYTES = 64;

function keyboard(buttons: Buttons): { inline_keyboard: { text: string; callback_data: string }[][] } {
  const rows = buttons.map((row) => row.map(({ label, says }) => ({ text: label, callback_data: callbackData(says) })));
  return { inline_keyboard: rows };
}

function callbackData(says: string): string {
  let kept = head(says, MAX_CALLBACK_BYTES);
  while (byteLength(kept) > MAX_CALLBACK_BYTES) kept = head(kept, kept.length - 1);
  return kept;
}

function isUnreadableMarkup(answer: BotAnswer): boolean {
  return answer.kind === "refused" && answer.status === 400 && answer.description.includes("can't parse entities");
}

const sentMessage = z.object({ message_id: z.int() });

/** The delivery outcome of a sending call. */
function toDelivery(answer: BotAnswer, { account }: TelegramContext): Delivery {
  return deliveryOf(answer.kind === "ok" ? { kind: "ok", json: answer.result } : answer, {
    platform: "Telegram",
    externalId: (result) => sentMessage.safeParse(result).data?.message_id.toString(),
    explain: (status, description) => explain(status, description, account),
  });
}

function explain(status: number, description: string, account: TelegramAccount): string | undefined {
  if (status === 401 || status === 404)
    return `Telegram does not know the bot: check ${account.botToken.id}. ${description}`;
  return status === 403 ? `The bot may not write there: ${description}` : undefined;
}

/** Larger pictures are sent as documents. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const PHOTOS: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp"]);
const SOUNDS: ReadonlySet<string> = new Set(["audio/mpeg", "audio/mp4"]);
const VOICES: ReadonlySet<string> = new Set(["audio/ogg", ...SOUNDS]);

/**
 * Sends a file by the method that Telegram displays best. A picture that it refuses (400, so nothing was sent), for
 * example for its proportions, is sent again as a document.
 */
export async function sendFile(file: OutboundFile, context: TelegramContext, signal: AbortSignal): Promise<Delivery> {
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  if (signal.aborted) return STOPPED;
  const send = ([method, field]: SendMethod) => {
    const upload = { field, file: new File([file.bytes], file.name, { type: file.mediaType }) };
    return callBot(context, token, method, messageArgs(file.target), signal, upload);
  };
  const way = sendMethodFor(file);
  const answer = await send(way);
  const isRefused = answer.kind === "refused" && answer.status === 400 && way !== AS_DOCUMENT;
  return toDelivery(isRefused ? await send(AS_DOCUMENT) : answer, context);
}

type SendMethod = readonly [UploadMethod, FileUpload["field"]];

const AS_DOCUMENT: SendMethod = ["sendDocument", "document"];

function sendMethodFor({ mediaType, bytes, asVoice }: OutboundFile): SendMethod {
  if (PHOTOS.has(mediaType) && bytes.length <= MAX_PHOTO_BYTES) return ["sendPhoto", "photo"];
  if (asVoice && VOICES.has(mediaType)) return ["sendVoice", "voice"];
  if (SOUNDS.has(mediaType)) return ["sendAudio", "audio"];
  return mediaType === "video/mp4" ? ["sendVideo", "video"] : AS_DOCUMENT;
}

/** Sets or removes the bot's reaction. Telegram accepts a fixed list of emojis. */
export async function react(
  { target, messageId, emoji }: Reaction,
  context: TelegramContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  const id = Number(messageId);
  if (!Number.isSafeInteger(id)) return { outcome: "failed", reason: `'${messageId}' is no id of a message.` };
  const { chat_id } = chatArgs(target);
  // The list omits the variation selector of some emojis.
  const reaction = emoji === "" ? [] : [{ type: "emoji", emoji: emoji.replaceAll("\u{FE0F}", "") } as const];
  return toDelivery(
    await callBot(context, token, "setMessageReaction", { chat_id, message_id: id, reaction }, signal),
    context,
  );
}

/** Telegram's limits of commands and of a description; their total size is limited as well. */
const MAX_COMMANDS = 100;
const MAX_DESCRIPTION_CHARS = 100;

/**
 * Shows commands in one chat's menu; halves the list while it is too large in total.
 * @see https://core.telegram.org/bots/api#setmycommands
 */
export async function showMenu(
  commands: readonly MenuCommand[],
  { conversationId }: Target,
  context: TelegramContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  const scope = { type: "chat", chat_id: Number(conversationId) } as const;
  const taken = commands.slice(0, MAX_COMMANDS).map(({ name: command, summary }) => {
    return { command, description: head(summary.replace(/\s+/g, " ").trim(), MAX_DESCRIPTION_CHARS) || command };
  });
  for (let count = taken.length; ; count = Math.floor(count / 2)) {
    const answer = await callBot(context, token, "setMyCommands", { commands: taken.slice(0, count), scope }, signal);
    if (!isTooMuch(answer) || count <= 1) return toDelivery(answer, context);
  }
}

function isTooMuch(answer: BotAnswer): boolean {
  return answer.kind === "refused" && answer.description.includes("BOT_COMMANDS_TOO_MUCH");
}
