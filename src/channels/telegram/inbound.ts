import type { Attachment, Author, Conversation, InboundMessage } from "../channel.ts";
import { withoutAddressee } from "./mention.ts";
import type { TelegramChat, TelegramMessage, TelegramOrigin, TelegramPress, TelegramUser } from "./update.ts";

/** Why a message is ignored; undefined if it may be meant for the agent. */
export function reasonToIgnore(message: TelegramMessage): string | undefined {
  if (message.is_automatic_forward) return "a channel's post, repeated in its group";
  if (message.ephemeral_message_id !== undefined) return "an ephemeral message";
  if (message.chat.is_direct_messages) return "a message to a channel's owner";
  if (messageSender(message) === undefined) return "it has no sender";
  return undefined;
}

/** What an update says about its message besides the message. */
export interface UpdateFacts {
  updateId: number;
  mentioned: boolean;
  /** Whether it is a new version of a message. */
  edited: boolean;
}

/** Converts a message; undefined for one without content, such as a join. */
export function toInbound(
  message: TelegramMessage,
  attachments: readonly Attachment[],
  { updateId, mentioned, edited }: UpdateFacts,
): InboundMessage | undefined {
  const sender = messageSender(message);
  const words = [withoutAddressee(message), ...described(message)].filter((line) => line !== "").join("\n");
  if (sender === undefined || (words === "" && attachments.length === 0)) return undefined;
  const passedOn = passedOnFrom(message, sender);
  const quoted = passedOn === undefined ? quotedIn(message) : quote(words, passedOn);
  const replied = repliedTo(message);
  return {
    kind: "message",
    dedupeId: String(updateId),
    text: passedOn === undefined ? words : "",
    sender,
    conversation: messageConversation(message),
    mentioned,
    ...(replied && { replyToId: String(replied.message_id) }),
    ...(quoted && { quoted }),
    attachments: passedOn === undefined ? attachments : attachments.map(passedOnFile),
    messageId: String(message.message_id),
    ...(edited && { edited: true }),
    ...(message.media_group_id !== undefined && { groupId: message.media_group_id }),
  };
}

/** The message that a pressed button stands for; undefined if its text or chat is unknown. */
export function pressedButton(updateId: number, { from, data, message }: TelegramPress): InboundMessage | undefined {
  if (data === undefined || message === undefined) return undefined;
  return {
    kind: "message",
    dedupeId: String(updateId),
    text: data,
    sender: userAsSender(from),
    conversation: messageConversation(message),
    mentioned: true,
    attachments: [],
    messageId: String(message.message_id),
  };
}

/**
 * A message sent on behalf of a chat (a channel, an anonymous administrator) has that chat as its sender; `from` is
 * then a placeholder.
 */
function messageSender(message: Pick<TelegramMessage, "from" | "sender_chat">): Author | undefined {
  if (message.sender_chat) return chatAsSender(message.sender_chat);
  return message.from && userAsSender(message.from);
}

function userAsSender(user: TelegramUser): Author {
  const name = fullName(user);
  return {
    id: String(user.id),
    ...(name && { name }),
    ...(user.username && { username: user.username }),
    ...(user.is_bot && { isBot: true }),
  };
}

function chatAsSender(chat: TelegramChat): Author {
  return {
    id: String(chat.id),
    ...(chat.title && { name: chat.title }),
    ...(chat.username && { username: chat.username }),
  };
}

function fullName(person: { first_name: string; last_name?: string | undefined }): string {
  return [person.first_name, person.last_name ?? ""].join(" ").trim();
}

const KINDS = { private: "direct", group: "group", supergroup: "group", channel: "channel" } as const;

type Placed = Pick<TelegramMessage, "chat" | "is_topic_message" | "message_thread_id"> &
  Partial<Pick<TelegramMessage, "reply_to_message">>;

/**
 * Only a topic's message has a thread: elsewhere `message_thread_id` names a reply chain. The title names the topic as
 * well, where the update does.
 */
function messageConversation({ chat, is_topic_message, message_thread_id, reply_to_message }: Placed): Conversation {
  const topic = reply_to_message?.forum_topic_created?.name;
  const title = [chat.title, topic].filter((name) => name).join(" / ");
  return {
    kind: KINDS[chat.type],
    id: String(chat.id),
    ...(title !== "" && { title }),
    ...(is_topic_message && message_thread_id !== undefined && { threadId: String(message_thread_id) }),
  };
}

/** Textual descriptions of content without text. */
function described({ sticker, location, venue, contact }: TelegramMessage): string[] {
  const lines: string[] = [];
  if (sticker) lines.push(`[sticker${sticker.emoji ? ` ${sticker.emoji}` : ""}]`);
  if (venue) lines.push(`[place: ${venue.title}, ${venue.address}]`);
  if (location) lines.push(`[location: ${location.latitude}, ${location.longitude}]`);
  if (contact) lines.push(`[contact: ${fullName(contact)}, ${contact.phone_number}]`);
  return lines;
}

/** The author of a forwarded message; undefined for the sender's own words. */
function passedOnFrom(message: TelegramMessage, sender: Author): string | undefined {
  const origin = message.forward_origin;
  if (origin === undefined || (origin.type === "user" && String(origin.sender_user.id) === sender.id)) return undefined;
  return originName(origin);
}

/** What is said in a voice note that was passed on is not the sender's. */
function passedOnFile({ isVoice: _, ...file }: Attachment): Attachment {
  return file;
}

function originName(origin: TelegramOrigin): string {
  switch (origin.type) {
    case "user":
      return fullName(origin.sender_user);
    case "hidden_user":
      return origin.sender_user_name;
    case "chat":
      return origin.sender_chat.title ?? "";
    case "channel":
      return origin.chat.title ?? "";
  }
}

/** The message that is answered. The first message of a forum topic does not count: every message there names it. */
function repliedTo({ reply_to_message: replied }: TelegramMessage): TelegramMessage["reply_to_message"] {
  return replied?.forum_topic_created === undefined ? replied : undefined;
}

/** The quoted text: the part that the sender selected, else the whole message. */
function quotedIn(message: TelegramMessage): InboundMessage["quoted"] {
  const replied = repliedTo(message);
  const text = message.quote?.text ?? replied?.text ?? replied?.caption ?? "";
  const origin = message.external_reply?.origin;
  return quote(text, replied ? messageSender(replied)?.name : origin && originName(origin));
}

function quote(text: string, senderName: string | undefined): InboundMessage["quoted"] {
  if (text === "") return undefined;
  return { text, ...(senderName && { senderName }) };
}
