import type { Attachment, Author, Conversation, InboundMessage } from "../channel.ts";
import type { ChatAttachment, ChatMessage, ChatPress, ChatSpace, ChatUser } from "./event.ts";

/** Converts a message. @param botUser the app's own user, if it is known */
export function toInbound(message: ChatMessage, space: ChatSpace, botUser: string | undefined): InboundMessage {
  const { name, sender, quotedMessageMetadata: answered } = message;
  const snapshot = answered?.quotedMessageSnapshot;
  const conversation = conversationOf(space, message.thread?.name ?? undefined);
  return {
    kind: "message",
    dedupeId: name,
    text: readText(message, botUser),
    sender: authorOf(sender),
    conversation,
    mentioned: conversation.kind === "direct" || isAddressed(message, botUser),
    ...(answered?.name && { replyToId: answered.name }),
    ...(snapshot?.text && { quoted: { text: snapshot.text, ...(snapshot.sender && { senderName: snapshot.sender }) } }),
    attachments: (message.attachment ?? []).map(readAttachment),
    messageId: name,
  };
}

/** The message that a pressed button stands for. */
export function pressedButton({ says, user, space, thread, messageName, at }: ChatPress): InboundMessage {
  return {
    kind: "message",
    dedupeId: `${messageName}|${user.name}|${at}`,
    text: says,
    sender: authorOf(user),
    conversation: conversationOf(space, thread),
    mentioned: true,
    attachments: [],
    messageId: messageName,
  };
}

function authorOf({ name, displayName, type }: ChatUser): Author {
  return { id: name, ...(displayName && { name: displayName }), ...(type === "BOT" && { isBot: true }) };
}

/** Only a space with threads has any: elsewhere each message names one of its own. */
function conversationOf(space: ChatSpace, thread: string | undefined): Conversation {
  const { name: id, displayName, spaceThreadingState } = space;
  if (isDirect(space)) return { kind: "direct", id };
  const hasThreads = spaceThreadingState !== "UNTHREADED_MESSAGES";
  return {
    ...{ kind: "group", id },
    ...(displayName && { title: displayName }),
    ...(hasThreads && thread !== undefined && { threadId: thread }),
  };
}

function isDirect({ type, spaceType, singleUserBotDm }: ChatSpace): boolean {
  return spaceType === "DIRECT_MESSAGE" || type === "DM" || singleUserBotDm === true;
}

/** Whether a message in a space is for the app: by a mention of it, or a command. */
function isAddressed({ annotations, slashCommand }: ChatMessage, botUser: string | undefined): boolean {
  if (slashCommand != null) return true;
  return annotations?.some((one) => isMentionOf(one, botUser)) ?? false;
}

type Annotation = NonNullable<ChatMessage["annotations"]>[number];

function isMentionOf({ type, userMention }: Annotation, botUser: string | undefined): boolean {
  const user = userMention?.user;
  if (type !== "USER_MENTION" || user?.type !== "BOT") return false;
  return botUser === undefined || user.name === botUser || user.name === "users/app";
}

/** What was typed, without mentions of apps; a command keeps its name. */
function readText(message: ChatMessage, botUser: string | undefined): string {
  const { text, argumentText, annotations, slashCommand } = message;
  const typed = text ?? "";
  if (slashCommand != null) return typed.trim();
  if (argumentText != null) return argumentText.trim();
  const call = annotations?.find((one) => (one.startIndex ?? 0) === 0 && isMentionOf(one, botUser));
  return typed.slice(call?.length ?? 0).trim();
}

/** Files that were uploaded can be had; those in Drive are the person's. */
function readAttachment({ contentName, contentType, attachmentDataRef }: ChatAttachment): Attachment {
  const resourceName = attachmentDataRef?.resourceName;
  return {
    name: contentName || "file",
    ...(contentType && { mediaType: contentType }),
    reference: resourceName ? { resourceName } : {},
  };
}

/** The conversation of an id: a space, or a person, whose chat with the app is looked up. */
export function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  if (isPerson(id)) return { kind: "direct", id };
  return /^spaces\/[\w-]{1,100}$/.test(id) ? { kind: "group", id } : undefined;
}

/** Whether an id is a person's. */
export function isPerson(id: string): boolean {
  return /^users\/[\w.@+-]{1,200}$/.test(id);
}
