import { head } from "../../lib/text.ts";
import type { ChannelContext, Delivery, MenuCommand, Target } from "../channel.ts";
import type { TelegramAccount } from "./account.ts";
import { type BotAnswer, callBot, tokenOf } from "./bot-api.ts";
import { toDelivery, tokenMissing } from "./send.ts";

/** What Telegram takes of commands, and characters of a description; together they may still be too much for it. */
const MAX_COMMANDS = 100;
const MAX_DESCRIPTION_CHARS = 100;

/**
 * Shows commands in one chat's menu; where they are too much together, as many as are not.
 * @see https://core.telegram.org/bots/api#setmycommands
 */
export async function showMenu(
  commands: readonly MenuCommand[],
  { conversationId }: Target,
  context: ChannelContext<TelegramAccount>,
  signal: AbortSignal,
): Promise<Delivery> {
  const token = tokenOf(context);
  if (token === undefined) return tokenMissing(context);
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
