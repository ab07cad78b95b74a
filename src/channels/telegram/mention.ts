import type { BotIdentity } from "./identity.ts";
import type { TelegramEntity, TelegramMessage } from "./update.ts";

/** What was typed, as text or as the caption of a file, and where Telegram saw names and commands in it. */
export function typedIn(message: TelegramMessage): { text: string; entities: readonly TelegramEntity[] } {
  if (message.text !== undefined) return { text: message.text, entities: message.entities ?? [] };
  return { text: message.caption ?? "", entities: message.caption_entities ?? [] };
}

/** Whether a group's message could be meant for the bot, so that it is worth to know who the bot is. */
export function namesSomebody(message: TelegramMessage): boolean {
  return repliesTo(message) !== undefined || typedIn(message).entities.some((entity) => NAMING.has(entity.type));
}

const NAMING = new Set(["mention", "text_mention", "bot_command"]);

/** Whether the message is a reply to the bot, or names it: `@bot`, a mention by id, or `/command@bot`. */
export function isAddressed(message: TelegramMessage, bot: BotIdentity): boolean {
  if (repliesTo(message) === bot.id) return true;
  const { text, entities } = typedIn(message);
  return entities.some((entity) => entity.user?.id === bot.id || isName(nameIn(text, entity), bot));
}

/** The name after a command that opens the message: `/stop@bot` names `bot`, `/stop` nobody. */
export function commandAddressee(message: TelegramMessage): string | undefined {
  const { text, entities } = typedIn(message);
  const command = entities.find((entity) => entity.type === "bot_command" && entity.offset === 0);
  return command && nameIn(text, command);
}

/** Whether a name is the bot's; case does not matter. */
export function isName(name: string | undefined, bot: BotIdentity): boolean {
  return name !== undefined && name.toLowerCase() === bot.username.toLowerCase();
}

/** The text, in which a command that opens it has lost the bot's name: `/stop@bot now` is `/stop now`. */
export function withoutAddressee(message: TelegramMessage): string {
  const { text } = typedIn(message);
  const name = commandAddressee(message);
  return name === undefined ? text : text.replace(`@${name}`, "");
}

function nameIn(text: string, entity: TelegramEntity): string | undefined {
  if (entity.type !== "mention" && entity.type !== "bot_command") return undefined;
  const span = text.slice(entity.offset, entity.offset + entity.length);
  const at = span.indexOf("@");
  return at === -1 ? undefined : span.slice(at + 1);
}

/** Whom it replies to. The first message of a forum topic does not count: all others there seem to reply to it. */
function repliesTo(message: TelegramMessage): number | undefined {
  const replied = message.reply_to_message;
  return replied?.forum_topic_created === undefined ? replied?.from?.id : undefined;
}
