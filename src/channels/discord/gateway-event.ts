import { z } from "zod";
import type { Author, Conversation, InboundMessage, ReceiveResult } from "../channel.ts";
import { ignore } from "../webhook.ts";
import {
  type ChannelFacts,
  contentAttachments,
  contentText,
  type DiscordMessage,
  embedText,
  message,
  quotation,
  serverConversation,
  snowflake,
  userAsAuthor,
} from "./payload.ts";

/** What events do not say themselves. */
export interface GatewayLookups {
  botId: string;
  /** The bot's roles in a server. */
  botRoles(guildId: string): Promise<readonly string[]>;
  /** What is known of a channel of a server; undefined if Discord does not tell. */
  channel(id: string): Promise<ChannelFacts | undefined>;
  /** A message that came before, by its id: a deletion does not say whose it was. */
  earlier(messageId: string): EarlierMessage | undefined;
}

/** Who wrote a message, and where. */
export interface EarlierMessage {
  sender: Author;
  conversation: Conversation;
}

const edit = z.object({ edited_timestamp: z.string().nullish() });
const deletion = z.object({ id: snowflake });

/** Ordinary messages and replies; others tell of joins, pins, calls, or answer commands of other bots. */
const SPOKEN: ReadonlySet<number> = new Set([0, 19]);

/**
 * Reads an event of the Gateway: messages, edits and deletions; everything else is of no interest.
 * @param name such as `MESSAGE_CREATE`
 * @throws ZodError for an event that is not of the documented form
 */
export async function readGatewayEvent(name: string, data: unknown, lookups: GatewayLookups): Promise<ReceiveResult> {
  switch (name) {
    case "MESSAGE_CREATE":
      return readMessage(message.parse(data), lookups);
    case "MESSAGE_UPDATE": {
      // Discord also sends it when it has added the preview of a link, then with fewer fields.
      const { edited_timestamp: editedAt } = edit.parse(data);
      if (!editedAt) return ignore("a message that its author has not changed");
      return readMessage(message.parse(data), lookups, editedAt);
    }
    case "MESSAGE_DELETE": {
      const { id } = deletion.parse(data);
      const earlier = lookups.earlier(id);
      if (earlier === undefined) return ignore("the deletion of a message that is not known");
      return {
        kind: "events",
        events: [{ kind: "deletion", dedupeId: `${id} deleted`, messageId: id, ...earlier }],
      };
    }
    default:
      return ignore(`an event ${name}`);
  }
}

async function readMessage(said: DiscordMessage, lookups: GatewayLookups, editedAt?: string): Promise<ReceiveResult> {
  if (said.author.id === lookups.botId) return ignore("the bot's own message");
  if (!SPOKEN.has(said.type)) return ignore(`a message of the type ${said.type}`);
  const roles =
    said.guild_id !== undefined && said.mention_roles.length > 0 ? await lookups.botRoles(said.guild_id) : [];
  const own = new Set([lookups.botId, ...roles]);
  const forwarded = said.message_snapshots?.map((snapshot) => snapshot.message) ?? [];
  const attachments = [said, ...forwarded].flatMap(contentAttachments);
  const text = contentText(said, own);
  const quoted = quotedIn(said, own);
  if (text === "" && quoted === undefined && attachments.length === 0 && editedAt === undefined) {
    return ignore("it has no content");
  }
  const repliedTo = said.message_reference?.type === FORWARD ? undefined : said.message_reference?.message_id;
  const conversation = await conversationOf(said, lookups);
  const inbound: InboundMessage = {
    kind: "message",
    dedupeId: editedAt === undefined ? said.id : `${said.id} ${editedAt}`,
    text,
    sender: senderOf(said),
    conversation,
    mentioned: conversation.kind === "direct" || isAddressed(said, own),
    ...(repliedTo !== undefined && { replyToId: repliedTo }),
    ...(quoted && { quoted }),
    attachments,
    messageId: said.id,
    ...(editedAt !== undefined && { edited: true }),
  };
  return { kind: "events", events: [inbound] };
}

/** A message that a webhook posts is a program's. */
function senderOf({ author, member, webhook_id: webhookId }: DiscordMessage): Author {
  return { ...userAsAuthor(author, member), ...(webhookId !== undefined && { isBot: true }) };
}

/** Whether a message mentions the bot or one of its roles, or answers it. */
function isAddressed(said: DiscordMessage, own: ReadonlySet<string>): boolean {
  const answered = said.referenced_message?.author.id ?? "";
  return [...said.mentions.map(({ id }) => id), ...said.mention_roles, answered].some((id) => own.has(id));
}

const FORWARD = 1;

/** What is not the author's: a forwarded message, the message that is answered, and the texts of embeds. */
function quotedIn(said: DiscordMessage, own: ReadonlySet<string>): InboundMessage["quoted"] {
  const replied = said.referenced_message;
  const forwarded = said.message_snapshots?.map((snapshot) => snapshot.message) ?? [];
  const others = [...forwarded, ...(replied ? [replied] : [])];
  const texts = others.flatMap((shown) => [contentText(shown, own), embedText(shown)]);
  return quotation([...texts, embedText(said)], replied ? userAsAuthor(replied.author).name : undefined);
}

const GROUP_DM = 3;

async function conversationOf(said: DiscordMessage, { channel }: GatewayLookups): Promise<Conversation> {
  const { channel_id: id, guild_id: guildId, channel_type: type } = said;
  if (guildId === undefined) return { kind: type === GROUP_DM ? "group" : "direct", id };
  return serverConversation(id, guildId, { ...(type !== undefined && { type }), ...(await channel(id)) });
}
