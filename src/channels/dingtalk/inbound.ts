import type { Attachment, InboundMessage, ReceiveResult } from "../channel.ts";
import { voiceNote } from "../voice-note.ts";
import { ignore } from "../webhook.ts";
import type { DingtalkAccount, DingtalkContext } from "./account.ts";
import type { DingtalkMessage } from "./message.ts";

/** Converts a robot's message. */
export function receiveMessage(message: DingtalkMessage, { account, secret, now }: DingtalkContext): ReceiveResult {
  const robotCode = secret(account.robotCode);
  if (robotCode !== undefined && message.robotCode !== undefined && message.robotCode !== robotCode) {
    return ignore("it is for another robot");
  }
  const content = readContent(message);
  const isDirect = message.conversationType === "1";
  if (content.text === "" && content.attachments.length === 0 && isDirect) return ignore("it has no content");
  const { msgId: id, senderStaffId: staffId, senderNick: name, conversationId, conversationTitle: title } = message;
  const replyToId = message.originalMsgId ?? repliedTo(message)?.msgId;
  const replyToken = answerAddress(message, account, now());
  return {
    kind: "events",
    events: [
      {
        ...{ kind: "message", dedupeId: id, messageId: id, ...content },
        sender: { id: staffId || message.senderId, ...(name && { name }) },
        conversation: { kind: isDirect ? "direct" : "group", id: conversationId, ...(title && { title }) },
        mentioned: isDirect || isAddressed(message),
        ...(replyToId !== undefined && { replyToId }),
        ...(replyToken && { replyToken }),
        // Later a person is written to by the staff id, and not by the conversation.
        ...(isDirect && staffId && { via: staffId }),
      },
    ],
  };
}

function isAddressed({ isInAtList, atUsers, chatbotUserId }: DingtalkMessage): boolean {
  return (
    isInAtList ?? (atUsers ?? []).some(({ dingtalkId }) => dingtalkId !== undefined && dingtalkId === chatbotUserId)
  );
}

/** The address for answers, which holds a token. The sign does not cover it: only DingTalk's own host is taken. */
function answerAddress(
  { sessionWebhook: value, sessionWebhookExpiredTime: expiresAt }: DingtalkMessage,
  { oapiBase }: DingtalkAccount,
  now: number,
): InboundMessage["replyToken"] {
  if (value === undefined || expiresAt === undefined || !URL.canParse(value) || expiresAt <= now) return undefined;
  return new URL(value).origin === new URL(oapiBase).origin ? { value, expiresAt } : undefined;
}

function repliedTo({ text, content }: DingtalkMessage) {
  return text?.repliedMsg ?? content?.repliedMsg;
}

type Content = Pick<InboundMessage, "text" | "attachments" | "quoted">;

function readContent(message: DingtalkMessage): Content {
  const replied = repliedTo(message)?.content;
  const quoted = replied?.text ?? replied?.richText?.map(({ text }) => text ?? "").join("");
  return { ...ownContent(message), ...(quoted && { quoted: { text: quoted } }) };
}

function ownContent({ msgtype, msgId, text, content }: DingtalkMessage): Omit<Content, "quoted"> {
  const { downloadCode, fileName, videoType, recognition, duration, richText = [] } = content ?? {};
  switch (msgtype) {
    case "text":
      return { text: text?.content.trim() ?? "", attachments: [] };
    case "richText": {
      const pictures = richText.flatMap((piece, n) =>
        file(piece.downloadCode, `image-${shortId(msgId)}-${n}.jpg`, "image/jpeg"),
      );
      return {
        text: richText
          .map((piece) => piece.text ?? "")
          .join("")
          .trim(),
        attachments: pictures,
      };
    }
    case "picture":
      return { text: "", attachments: file(downloadCode, `image-${shortId(msgId)}.jpg`, "image/jpeg") };
    case "audio":
      return voiceNote(file(downloadCode, `voice-${shortId(msgId)}.amr`), { words: recognition, ms: duration });
    case "video":
      return { text: "", attachments: file(downloadCode, `video-${shortId(msgId)}.${videoType ?? "mp4"}`) };
    case "file":
      return { text: "", attachments: file(downloadCode, fileName ?? `file-${shortId(msgId)}`) };
    default:
      return { text: `[message of the type ${msgtype}]`, attachments: [] };
  }
}

/** Ids are base64, whose signs do not belong into names. */
function shortId(messageId: string): string {
  return messageId.replace(/\W/g, "").slice(-16);
}

function file(downloadCode: string | undefined, name: string, mediaType?: string): Attachment[] {
  if (downloadCode === undefined) return [];
  return [{ name, ...(mediaType !== undefined && { mediaType }), reference: { downloadCode } }];
}
