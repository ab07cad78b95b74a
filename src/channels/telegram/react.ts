import type { ChannelContext, Delivery, Reaction } from "../channel.ts";
import type { TelegramAccount } from "./account.ts";
import { callBot, tokenOf } from "./bot-api.ts";
import { chatOf, toDelivery, tokenMissing } from "./send.ts";

/** Puts an emoji on a message, or takes the bot's own back. Telegram takes those of its own list only. */
export async function react(
  { target, messageId, emoji }: Reaction,
  context: ChannelContext<TelegramAccount>,
  signal: AbortSignal,
): Promise<Delivery> {
  const token = tokenOf(context);
  if (token === undefined) return tokenMissing(context);
  const id = Number(messageId);
  if (!Number.isSafeInteger(id)) return { outcome: "failed", reason: `'${messageId}' is no id of a message.` };
  const { chat_id } = chatOf(target);
  // The list has some emojis without the selector that others write after them.
  const reaction = emoji === "" ? [] : [{ type: "emoji", emoji: emoji.replaceAll("\u{FE0F}", "") } as const];
  return toDelivery(
    await callBot(context, token, "setMessageReaction", { chat_id, message_id: id, reaction }, signal),
    context,
  );
}
