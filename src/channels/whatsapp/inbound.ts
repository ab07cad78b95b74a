import type { Attachment, Author, Conversation, InboundEvent, InboundReceipt } from "../channel.ts";
import type { WhatsAppAccount } from "./account.ts";
import { detailsOf, inWords, isWindowClosed } from "./graph-error.ts";
import type {
  WhatsAppContact,
  WhatsAppContent,
  WhatsAppMedia,
  WhatsAppMessage,
  WhatsAppStatus,
} from "./notification.ts";
import { closedAt } from "./window.ts";

/** What a change says beside its messages. */
export interface ChangeFacts {
  contacts: readonly WhatsAppContact[];
  /** The business's number in digits. */
  ownNumber: string;
}

/** Converts a message, an edit or a deletion; a text says why it is nothing for the agent. */
export function toInbound(message: WhatsAppMessage, facts: ChangeFacts): InboundEvent | string {
  const { id: dedupeId, type, edit, revoke, errors = [] } = message;
  const sender = messageSender(message, facts);
  if (sender === undefined) return "a message without a sender";
  const conversation: Conversation =
    message.group_id === undefined ? { kind: "direct", id: sender.id } : { kind: "group", id: message.group_id };
  if (revoke !== undefined) {
    return { kind: "deletion", dedupeId, messageId: revoke.original_message_id, sender, conversation };
  }
  const content = edit?.message ?? message;
  const { context } = content;
  const isForwarded = (context?.forwarded || context?.frequently_forwarded) ?? false;
  const attachments = messageMedia(content, isForwarded);
  const words = withoutOwnMention(spokenWords(content), facts.ownNumber);
  if (words === "" && attachments.length === 0) {
    const why = errors.map(detailsOf).join("; ");
    return `a message of the type ${type}${why === "" ? "" : `: ${why}`}`;
  }
  return {
    kind: "message",
    dedupeId,
    text: isForwarded ? "" : words,
    sender,
    conversation,
    mentioned: conversation.kind === "direct" || isAddressed(content, facts),
    ...(context?.id !== undefined && { replyToId: context.id }),
    ...(isForwarded && words !== "" && { quoted: { text: words } }),
    attachments,
    messageId: edit?.original_message_id ?? dedupeId,
    ...(edit && { edited: true }),
  };
}

/** A person's number is the id; Meta's own id of them stands in for a number that they hide. */
function messageSender({ from, from_user_id: userId }: WhatsAppMessage, { contacts }: ChangeFacts): Author | undefined {
  const id = from ?? userId;
  if (id === undefined || id === "") return undefined;
  const known = contacts.find((one) => one.wa_id === id || one.user_id === id) ?? onlyOne(contacts);
  const { name, username } = known?.profile ?? {};
  return { id, ...(name && { name }), ...(username && { username: username.replace(/^@/, "") }) };
}

/** A number and the id that WhatsApp makes of it may differ. */
function onlyOne<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Whether a group's message answers the business or names its number, which is how WhatsApp writes a mention. */
function isAddressed({ context, text }: WhatsAppContent, { ownNumber }: ChangeFacts): boolean {
  if (ownNumber === "") return false;
  return context?.from === ownNumber || (text?.body.includes(`@${ownNumber}`) ?? false);
}

function withoutOwnMention(words: string, ownNumber: string): string {
  return ownNumber !== "" && words.startsWith(`@${ownNumber}`) ? words.slice(ownNumber.length + 1).trimStart() : words;
}

/** The words of a message: as typed, what a pressed button says, or a description of what has no words. */
function spokenWords(content: WhatsAppContent): string {
  const { text, image, video, document, button, interactive } = content;
  const pressed = interactive?.button_reply ?? interactive?.list_reply;
  const typed = [
    text?.body,
    (image ?? video ?? document)?.caption,
    pressed && (pressed.id || pressed.title),
    button && (button.payload || button.text),
    content.order?.text,
  ];
  return [...typed, ...described(content)].filter((line) => line !== undefined && line !== "").join("\n");
}

function described({ location, contacts = [], interactive, order }: WhatsAppContent): string[] {
  const lines = contacts.map(({ name, phones, emails }) => {
    const ways = [...phones.map(({ phone }) => phone), ...emails.map(({ email }) => email)];
    return `[contact: ${[name?.formatted_name, ...ways].filter((part) => part).join(", ")}]`;
  });
  if (location) {
    const { name, address, latitude, longitude } = location;
    lines.push(`[location: ${[name, address, latitude, longitude].filter((part) => part !== undefined).join(", ")}]`);
  }
  if (order) {
    const items = order.product_items.map(
      ({ quantity, product_retailer_id: id, item_price: price, currency }) =>
        `${quantity} × ${id} at ${price} ${currency}`,
    );
    lines.push(`[order: ${items.join("; ")}]`);
  }
  const form = interactive?.nfm_reply;
  if (form) lines.push(`[form: ${form.response_json ?? form.body ?? ""}]`);
  return lines;
}

/** The file of a message; it is asked for by its id when it is opened. */
function messageMedia({ image, video, audio, document, sticker }: WhatsAppContent, isForwarded: boolean): Attachment[] {
  const found: [WhatsAppMedia | undefined, kind: string, mediaType: string][] = [
    [image, "image", "image/jpeg"],
    [video, "video", "video/mp4"],
    [audio, audio?.voice ? "voice" : "audio", "audio/ogg"],
    [document, "document", "application/octet-stream"],
    [sticker, "sticker", "image/webp"],
  ];
  return found.flatMap(([file, kind, usual]) => {
    if (file?.id === undefined) return [];
    // `audio/ogg; codecs=opus`
    const mediaType = file.mime_type?.split(";")[0]?.trim() || usual;
    const name = file.filename || `${kind}${extensionOf(mediaType)}`;
    const isVoice = kind === "voice" && !isForwarded;
    return [{ name, mediaType, ...(isVoice && { isVoice }), reference: { mediaId: file.id } }];
  });
}

const EXTENSIONS = new Map([
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["image/webp", ".webp"],
  ["video/mp4", ".mp4"],
  ["video/3gpp", ".3gp"],
  ["audio/ogg", ".ogg"],
  ["audio/mpeg", ".mp3"],
  ["audio/mp4", ".m4a"],
  ["audio/aac", ".aac"],
  ["audio/amr", ".amr"],
  ["application/pdf", ".pdf"],
]);

function extensionOf(mediaType: string): string {
  return EXTENSIONS.get(mediaType) ?? "";
}

const OUTCOMES = new Map<string, InboundReceipt["outcome"]>([
  ["delivered", "delivered"],
  ["read", "read"],
  ["played", "read"],
  ["failed", "failed"],
]);

/**
 * Converts a status. A message that came after the conversation had closed is sent again as a template, where the account
 * has one.
 */
export function toReceipt(status: WhatsAppStatus, account: WhatsAppAccount, now: number): InboundReceipt | string {
  const outcome = OUTCOMES.get(status.status);
  const to = status.recipient_id ?? status.recipient_user_id;
  if (outcome === undefined || to === undefined) return `a message was ${status.status}`;
  const [error] = status.errors ?? [];
  const isClosed = outcome === "failed" && error !== undefined && isWindowClosed(error);
  const deliveryId = status.biz_opaque_callback_data;
  return {
    kind: "receipt",
    externalId: status.id,
    ...(deliveryId !== undefined && { deliveryId }),
    conversation: { kind: status.recipient_type === "group" ? "group" : "direct", id: to },
    outcome,
    ...(error && { reason: inWords(error, account) }),
    ...(isClosed && account.templates.reopen && { resendVia: closedAt(now) }),
  };
}
