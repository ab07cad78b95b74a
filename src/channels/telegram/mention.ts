import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import type { TelegramContext } from "./account.ts";
import { callBot } from "./bot-api.ts";
import type { TelegramEntity, TelegramMessage } from "./update.ts";

/** A message's text or caption with its entities. */
function typedIn(message: TelegramMessage): { text: string; entities: readonly TelegramEntity[] } {
  if (message.text !== undefined) return { text: message.text, entities: message.entities ?? [] };
  return { text: message.caption ?? "", entities: message.caption_entities ?? [] };
}

/** Whether a group's message could address the bot, so that the bot's identity is needed. */
export function mayAddressBot(message: TelegramMessage): boolean {
  return repliesTo(message) !== undefined || typedIn(message).entities.some((entity) => NAMING.has(entity.type));
}

const NAMING = new Set(["mention", "text_mention", "bot_command"]);

/** Whether a message addresses the bot: a reply to it, `@bot`, a mention by id, or `/command@bot`. */
export function isAddressed(message: TelegramMessage, bot: BotIdentity): boolean {
  if (repliesTo(message) === bot.id) return true;
  const { text, entities } = typedIn(message);
  return entities.some((entity) => entity.user?.id === bot.id || isName(nameIn(text, entity), bot));
}

/** The bot name in a leading command: `bot` for `/stop@bot`, undefined for `/stop`. */
export function commandAddressee(message: TelegramMessage): string | undefined {
  const { text, entities } = typedIn(message);
  const command = entities.find((entity) => entity.type === "bot_command" && entity.offset === 0);
  return command && nameIn(text, command);
}

/** Whether a name is the bot's, case-insensitively. */
export function isName(name: string | undefined, bot: BotIdentity): boolean {
  return name !== undefined && name.toLowerCase() === bot.username.toLowerCase();
}

/** The text without the bot's name in a leading command: `/stop now` for `/stop@bot now`. */
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

/**
 * The sender of the replied-to message. The first message of a forum topic does not count: every message there seems to
 * reply to it.
 */
function repliesTo(message: TelegramMessage): number | undefined {
  const replied = message.reply_to_message;
  return replied?.forum_topic_created === undefined ? replied?.from?.id : undefined;
}

/** The bot's identity. */
export interface BotIdentity {
  id: number;
  username: string;
}

const GET_ME_TIMEOUT_MS = 5_000;
/** How long an identity is cached: usernames seldom change. */
const REMEMBERED_MS = 60 * 60 * 1000;

const remembered = new Map<string, { identity: BotIdentity; until: number }>();

const me = z.object({ id: z.int(), username: z.string() });

/** The bot's id from its token; undefined if malformed. */
function botIdFromToken(token: string): number | undefined {
  const id = /^(\d+):/.exec(token)?.[1];
  return id === undefined ? undefined : Number(id);
}

/**
 * The bot's identity from its token and configuration, or else from Telegram, cached for an hour.
 * @returns undefined if Telegram does not answer
 */
export async function identify(context: TelegramContext, token: string): Promise<BotIdentity | undefined> {
  const id = botIdFromToken(token);
  const { username } = context.account;
  if (id !== undefined && username !== undefined) return { id, username };
  const known = remembered.get(token);
  if (known !== undefined && known.until > context.now()) return known.identity;
  const answer = await within(GET_ME_TIMEOUT_MS, (signal) => callBot(context, token, "getMe", {}, signal));
  const identity = answer.kind === "ok" ? me.safeParse(answer.result).data : undefined;
  if (identity === undefined) return undefined;
  remembered.set(token, { identity, until: context.now() + REMEMBERED_MS });
  return identity;
}
