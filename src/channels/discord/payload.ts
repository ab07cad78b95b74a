import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { z } from "zod";
import type { Attachment, Author, Conversation, InboundMessage } from "../channel.ts";

/** Discord's ids: numbers of 64 bits as text. */
export const snowflake = z.string().regex(/^\d{1,20}$/);

export const user = z.object({
  id: snowflake,
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

export const member = z.object({ nick: z.string().nullish() });

export const attachment = z.object({
  filename: z.string(),
  size: z.int().min(0),
  url: z.string(),
  content_type: z.string().nullish(),
  duration_secs: z.number().optional(),
});

const embed = z.object({
  title: z.string().nullish(),
  description: z.string().nullish(),
  author: z.object({ name: z.string() }).nullish(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  footer: z.object({ text: z.string() }).nullish(),
});

/** What a message shows; of a forwarded one there is nothing else. */
export const content = z.object({
  content: z.string().default(""),
  attachments: z.array(attachment).default([]),
  embeds: z.array(embed).default([]),
  sticker_items: z.array(z.object({ name: z.string() })).optional(),
  poll: z
    .object({
      question: z.object({ text: z.string().nullish() }),
      answers: z.array(z.object({ poll_media: z.object({ text: z.string().nullish() }) })),
    })
    .nullish(),
  mentions: z.array(user.extend({ member: member.nullish() })).default([]),
});

const authored = content.extend({ id: snowflake, author: user, webhook_id: snowflake.optional() });

/** The fields of a message that are read; in an interaction a message has fewer of them. */
export const message = authored.extend({
  type: z.int().default(0),
  channel_id: snowflake,
  guild_id: snowflake.optional(),
  channel_type: z.int().optional(),
  member: member.nullish(),
  edited_timestamp: z.string().nullish(),
  mention_roles: z.array(z.string()).default([]),
  flags: z.int().optional(),
  message_reference: z.object({ type: z.int().optional(), message_id: snowflake.optional() }).nullish(),
  referenced_message: authored.nullish(),
  message_snapshots: z.array(z.object({ message: content })).optional(),
});

/** The output of a schema for documented types; does not compile if the schema could reject one of them. */
type Reading<_Documented extends z.input<Schema>, Schema extends z.ZodType> = z.output<Schema>;

export type DiscordUser = z.output<typeof user>;
export type DiscordMember = z.output<typeof member>;
export type DiscordContent = z.output<typeof content>;
export type DiscordMessage = Reading<APIMessage | GatewayMessageCreateDispatchData, typeof message>;

/** A user as an author, by the name that the server shows. */
export function userAsAuthor(sender: DiscordUser, shownAs?: DiscordMember | null): Author {
  return {
    id: sender.id,
    name: shownName(sender, shownAs),
    username: sender.username,
    ...(sender.bot && { isBot: true }),
  };
}

function shownName(sender: DiscordUser, shownAs?: DiscordMember | null): string {
  return shownAs?.nick || sender.global_name || sender.username;
}

/** The flag of a voice message: its only content is one recording. */
export const IS_VOICE_MESSAGE = 1 << 13;

/** Discord's files: each is downloaded later from its own address. */
export function contentAttachments({
  attachments: files,
  flags = 0,
}: Pick<DiscordContent, "attachments"> & Pick<DiscordMessage, "flags">): Attachment[] {
  return files.map(({ filename, size, url, content_type: mediaType, duration_secs: seconds }) => ({
    name: filename,
    size,
    ...(mediaType && { mediaType }),
    ...(seconds !== undefined && { seconds: Math.round(seconds) }),
    ...((flags & IS_VOICE_MESSAGE) !== 0 && { isVoice: true }),
    reference: { url },
  }));
}

/**
 * The words of a message: people's mentions by their names, the bot's own left out, and what is no text described.
 * @param own ids of the bot and of its roles
 */
export function contentText(shown: DiscordContent, own: ReadonlySet<string>): string {
  const names = new Map(shown.mentions.map((one) => [one.id, shownName(one, one.member)]));
  const words = shown.content
    .replace(/ ?<@[!&]?(\d+)>/g, (mention, id: string) => (own.has(id) ? "" : mention))
    .replace(/<@!?(\d+)>/g, (mention, id: string) => (names.has(id) ? `@${names.get(id)}` : mention))
    .replace(/<a?(:\w+:)\d+>/g, "$1")
    .trim();
  return [words, ...described(shown)].filter((line) => line !== "").join("\n");
}

function described({ sticker_items: stickers = [], poll }: DiscordContent): string[] {
  const answers = poll?.answers.map(({ poll_media: { text } }) => text ?? "").join(" / ");
  return [
    ...stickers.map(({ name }) => `[sticker: ${name}]`),
    ...(poll ? [`[poll: ${poll.question.text ?? ""} ${answers}]`] : []),
  ];
}

/** The texts of a message's embeds: previews of links, and what bots show. */
export function embedText({ embeds }: Pick<DiscordContent, "embeds">): string {
  const texts = embeds.map(({ title, description, author, fields, footer }) => {
    const rows = fields?.map(({ name, value }) => `${name}: ${value}`) ?? [];
    return [author?.name, title, description, ...rows, footer?.text].filter((line) => line).join("\n");
  });
  return texts.filter((text) => text !== "").join("\n\n");
}

/** A quotation of several texts; undefined without any. */
export function quotation(texts: readonly string[], senderName?: string): InboundMessage["quoted"] {
  const text = texts.filter((one) => one !== "").join("\n\n");
  return text === "" ? undefined : { text, ...(senderName !== undefined && { senderName }) };
}

/** What is known of a channel. */
export const channelFacts = z.object({
  type: z.int().optional(),
  name: z.string().nullish(),
  parent_id: snowflake.nullish(),
});

export type ChannelFacts = z.output<typeof channelFacts>;

/** Threads of announcements, public and private ones. */
const THREADS: ReadonlySet<number | undefined> = new Set([10, 11, 12]);

/** A conversation of a server. A channel's `parent_id` is its category, and only a thread's is the channel. */
export function serverConversation(id: string, guildId: string, channel: ChannelFacts = {}): Conversation {
  const { type, name, parent_id: parentId } = channel;
  return {
    ...{ kind: "channel", id, spaceId: guildId },
    ...(name && { title: name }),
    ...(THREADS.has(type) && parentId && { parentId }),
  };
}
