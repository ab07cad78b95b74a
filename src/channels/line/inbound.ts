import type { Attachment, Author, Conversation, InboundEvent, InboundMessage } from "../channel.ts";
import type { LineContent, LineEvent } from "./event.ts";
import { quotable } from "./quote.ts";

/** A reply token is valid for about a minute; its answer has to arrive before. */
const REPLY_TOKEN_MS = 50_000;

/** Converts an event; a text says why it is nothing for the agent. */
export function toInbound(event: LineEvent, now: number): InboundEvent | string {
  const { type, mode, message, unsend, postback, webhookEventId: dedupeId } = event;
  if (mode !== "active") return `an event while another program answers (${mode})`;
  const place = placeOf(event);
  if (place === undefined) return `an event of the type ${type}, from nobody`;
  if (unsend !== undefined) return { kind: "deletion", dedupeId, messageId: unsend.messageId, ...place };
  const answerable = {
    ...place,
    ...(event.replyToken !== undefined && {
      replyToken: { value: event.replyToken, expiresAt: now + REPLY_TOKEN_MS },
    }),
  };
  if (postback !== undefined) {
    const { data: text } = postback;
    const said = { dedupeId, messageId: dedupeId, text, mentioned: true, attachments: [] };
    return text === "" ? "a button without data" : { kind: "message", ...said, ...answerable };
  }
  const isEdit = type === "messageEdited";
  if (message === undefined || !(isEdit || type === "message")) return `an event of the type ${type}`;
  const found = contentMessage(message, dedupeId, answerable);
  return isEdit && typeof found !== "string" ? { ...found, edited: true } : found;
}

type Answerable = Pick<InboundMessage, "sender" | "conversation" | "replyToken">;

function contentMessage(content: LineContent, dedupeId: string, answerable: Answerable): InboundMessage | string {
  const { id: messageId, quotedMessageId, quoteToken, imageSet } = content;
  const text = spokenWords(content);
  const attachments = filesOf(content);
  if (text === "" && attachments.length === 0) return `a message of the type ${content.type}`;
  return {
    kind: "message",
    dedupeId,
    messageId,
    text,
    mentioned: answerable.conversation.kind === "direct" || mentionsOf(content).length > 0,
    ...(quotedMessageId !== undefined && { replyToId: quotedMessageId }),
    attachments,
    ...(imageSet && { groupId: imageSet.id }),
    ...(quoteToken !== undefined && { via: quotable(messageId, quoteToken) }),
    ...answerable,
  };
}

/** Who an event is of, and where. Members of a group who have not agreed to be known are the group. */
function placeOf({ source }: LineEvent): { sender: Author; conversation: Conversation } | undefined {
  if (source === undefined) return undefined;
  const { userId, groupId, roomId } = source;
  const group = groupId ?? roomId;
  const sender = userId ?? group;
  if (sender === undefined) return undefined;
  const conversation: Conversation =
    group === undefined ? { kind: "direct", id: sender } : { kind: "group", id: group };
  return { sender: { id: sender }, conversation };
}

/** The mentions of the account itself. */
function mentionsOf({ mention }: LineContent) {
  return (mention?.mentionees ?? []).filter(({ isSelf }) => isSelf === true);
}

/** The words of a message without a mention of the account at its beginning, or a description of what has no words. */
function spokenWords(content: LineContent): string {
  const { type, text = "", title, address, latitude, longitude, keywords = [] } = content;
  switch (type) {
    case "text": {
      const own = mentionsOf(content).find(({ index }) => text.slice(0, index).trim() === "");
      return own === undefined ? text : text.slice(own.index + own.length).trimStart();
    }
    case "location": {
      const parts = [title, address, latitude, longitude].filter((part) => part !== undefined && part !== "");
      return `[location: ${parts.join(", ")}]`;
    }
    case "sticker": {
      const meaning = [...(text === "" ? [] : [text]), ...keywords.slice(0, MAX_KEYWORDS)];
      return meaning.length === 0 ? "[sticker]" : `[sticker: ${meaning.join(", ")}]`;
    }
    default:
      return "";
  }
}

/** LINE describes a sticker by up to 15 words, in no order. */
const MAX_KEYWORDS = 5;

/** The media types of files whose type LINE does not tell. */
const MEDIA = new Map([
  ["image", { name: "image.jpg", mediaType: "image/jpeg" }],
  ["video", { name: "video.mp4", mediaType: "video/mp4" }],
  ["audio", { name: "audio.m4a", mediaType: "audio/mp4" }],
  ["file", { name: "file", mediaType: "application/octet-stream" }],
]);

/** The file of a message; it is requested when it is opened. */
function filesOf({ id, type, fileName, fileSize, duration, contentProvider }: LineContent): Attachment[] {
  const usual = MEDIA.get(type);
  if (usual === undefined) return [];
  const elsewhere = contentProvider?.type === "external" ? contentProvider.originalContentUrl : undefined;
  return [
    {
      name: fileName ?? usual.name,
      // A file's type is in its name.
      ...(type !== "file" && { mediaType: usual.mediaType }),
      ...(fileSize !== undefined && { size: fileSize }),
      ...(duration !== undefined && { seconds: Math.round(duration / 1000) }),
      // People record them in the chat; a recording that they have as a file is a file.
      ...(type === "audio" && elsewhere === undefined && { isVoice: true }),
      reference: { messageId: id, type, ...(elsewhere !== undefined && { elsewhere }) },
    },
  ];
}
