import type { Attachment, Author, Conversation, InboundDeletion, InboundMessage, ReceiveResult } from "../channel.ts";
import { ignore } from "../webhook.ts";
import { conversationKind, isSlackAddress, type SlackAccount } from "./account.ts";
import type { Installation, SlackFile, SlackMessage, SlackMessageEvent } from "./payload.ts";
import { pastedTables, readable } from "./readable.ts";

/** What an event says about its messages, and the account that it came to. */
interface EventFacts extends Installation {
  channel: string;
  /** Whether Slack itself says that the bot is mentioned. */
  isMention: boolean;
  account: SlackAccount;
}

/**
 * What an event brings: a message, an edit or a deletion.
 *
 * A mention that comes as a message and as `app_mention` has one dedupe id, and so has an edit that adds one.
 */
export function receiveEvent(
  event: SlackMessageEvent,
  installation: Installation,
  account: SlackAccount,
): ReceiveResult {
  const facts: EventFacts = {
    ...installation,
    ...(installation.botUserId === undefined && account.botUserId && { botUserId: account.botUserId }),
    ...{ channel: event.channel, isMention: event.type === "app_mention", account },
  };
  if (event.subtype === "message_changed") return receiveChange(event, facts);
  if (event.subtype === "message_deleted") return receiveDeletion(event.previous_message, event.deleted_ts, facts);
  if (mayBeMention(event, facts)) return ignore("who the agent is is not known: app_mention tells of its mentions");
  return receiveMessage(event, facts);
}

/**
 * Whether a message mentions somebody who may be the agent. As one that was overheard it would take the dedupe id of its
 * `app_mention`, which nobody would answer then.
 */
function mayBeMention({ text }: SlackMessage, { channel, botUserId, isMention }: EventFacts): boolean {
  if (botUserId !== undefined || isMention || conversationKind(channel) === "direct") return false;
  return /<@\w+/.test(text ?? "");
}

/** The subtypes of messages that people write; others tell of joins, topics and the like. */
const WRITTEN: ReadonlySet<string> = new Set(["file_share", "me_message", "thread_broadcast", "bot_message"]);

function receiveMessage(message: SlackMessage, facts: EventFacts): ReceiveResult {
  const sender = author(message);
  const why = reasonToIgnore(message, facts);
  if (why !== undefined || sender === undefined) return ignore(why ?? "it has no author");
  const inbound = toInbound(message, sender, facts);
  return inbound === undefined ? ignore("it has no content") : { kind: "events", events: [inbound] };
}

/** A change is an edit if its author has changed words; Slack also tells of previews, replies and pins so. */
function receiveChange({ message, previous_message: before }: SlackMessageEvent, facts: EventFacts): ReceiveResult {
  if (message == null) return ignore("a change without its message");
  // What stays of a deleted message that has replies.
  if (message.subtype === "tombstone") return receiveDeletion(before, message.ts, facts);
  const isSame = before != null && (before.edited?.ts === message.edited?.ts || before.text === message.text);
  return message.edited == null || isSame ? ignore("a change that is no edit") : receiveMessage(message, facts);
}

function receiveDeletion(
  before: SlackMessage | null | undefined,
  messageId: string | null | undefined,
  facts: EventFacts,
): ReceiveResult {
  if (before == null || messageId == null) return ignore("a deletion that does not say whose message");
  const sender = author(before);
  const why = reasonToIgnore(before, facts);
  if (why !== undefined || sender === undefined) return ignore(why ?? "it had no author");
  const deletion: InboundDeletion = {
    kind: "deletion",
    dedupeId: `${facts.channel}:${messageId}:deleted`,
    messageId,
    sender,
    conversation: messageConversation(before, facts),
  };
  return { kind: "events", events: [deletion] };
}

function reasonToIgnore(message: SlackMessage, { appId, botUserId }: EventFacts): string | undefined {
  const { subtype, user, app_id: writtenBy } = message;
  if (subtype != null && !WRITTEN.has(subtype)) return `a message of the subtype ${subtype}`;
  const isOwn = (writtenBy != null && writtenBy === appId) || (user != null && user === botUserId);
  if (isOwn) return "the agent's own message";
  return user === "USLACK" || user === "USLACKBOT" ? "a message of Slack itself" : undefined;
}

/** Names can be changed by their owners, so they are no usernames. */
function author({ user, bot_id, username, user_profile, bot_profile, subtype }: SlackMessage): Author | undefined {
  const id = user ?? bot_id;
  if (id == null) return undefined;
  const name = user_profile?.display_name || user_profile?.real_name || username || bot_profile?.name;
  const isBot = bot_id != null || subtype === "bot_message";
  return { id, ...(name && { name }), ...(isBot && { isBot }) };
}

function toInbound(message: SlackMessage, sender: Author, facts: EventFacts): InboundMessage | undefined {
  const { ts, edited } = message;
  const mentioned = isAddressed(message, facts);
  const attachments = (message.files ?? []).flatMap((file) => toAttachment(file, facts));
  const quoted = passedOn(message);
  const text = words(message, sender, facts);
  const isEmpty = text === "" && attachments.length === 0 && quoted === undefined;
  if (isEmpty && !(mentioned && message.text)) return undefined;
  return {
    kind: "message",
    dedupeId: [facts.channel, ts, ...(edited ? [edited.ts] : [])].join(":"),
    text: isEmpty ? "[a mention without words]" : text,
    sender,
    conversation: messageConversation(message, facts),
    mentioned,
    ...(quoted && { quoted }),
    attachments,
    messageId: ts,
    ...(edited && { edited: true }),
  };
}

/** Whether a message is meant for the agent: a direct one, a mention, or a reply in a thread that the agent began. */
function isAddressed({ text, parent_user_id: parent }: SlackMessage, facts: EventFacts): boolean {
  const { channel, isMention, botUserId } = facts;
  if (isMention || conversationKind(channel) === "direct") return true;
  const typed = text ?? "";
  return botUserId !== undefined && (parent === botUserId || withoutMention(typed, botUserId) !== typed);
}

/** A text without the mentions of one member. */
function withoutMention(text: string, userId: string | undefined): string {
  return text.replace(/<@(\w+)(?:\|[^<>]*)?> ?/g, (mention, id) => (id === userId ? "" : mention));
}

/**
 * The conversation of a message. Where every reply is sent in a thread, a message to the agent begins one, so that what
 * follows there belongs to the same session.
 */
function messageConversation(message: SlackMessage, facts: EventFacts): Conversation {
  const { channel, teamId, account } = facts;
  const kind = conversationKind(channel);
  const { ts, thread_ts: thread } = message;
  const begins = account.replyToMode === "all" && kind !== "direct" && isAddressed(message, facts);
  // The first message of a thread names itself as soon as it has replies.
  const threadId = thread != null && thread !== ts ? thread : begins ? ts : undefined;
  return {
    kind,
    id: channel,
    ...(threadId !== undefined && { threadId }),
    ...(teamId !== undefined && { spaceId: teamId }),
  };
}

/** What the author wrote, without the mention of the agent: text, pasted tables, files that are elsewhere. */
function words(message: SlackMessage, { isBot }: Author, { botUserId }: EventFacts): string {
  const { text, files, attachments } = message;
  const typed = withoutMention(text ?? "", botUserId);
  const beside = (attachments ?? []).filter((one) => !one.is_share);
  const elsewhere = (files ?? []).flatMap(({ title, name, mode, url_private: url }) => {
    return mode === "external" && url != null ? [`[file: ${title || name || "without a name"}, ${url}]`] : [];
  });
  // Bots often say what they have to say beside the text.
  const said = isBot && typed === "" ? beside.map((one) => readable(one.text || one.fallback || "")) : [];
  const parts = [readable(typed).trim(), ...said, ...beside.flatMap(pastedTables), ...elsewhere];
  return parts.filter((part) => part !== "").join("\n");
}

/** A message that was passed on. */
function passedOn({ attachments }: SlackMessage): InboundMessage["quoted"] {
  const shared = (attachments ?? []).filter((one) => one.is_share && (one.text || one.fallback));
  const [first] = shared;
  if (first === undefined) return undefined;
  const text = shared.map((one) => readable(one.text || one.fallback || "")).join("\n\n");
  return { text, ...(first.author_name && { senderName: first.author_name }) };
}

/** Files that are gone have no address, those of other services are not Slack's to hand over. */
function toAttachment(file: SlackFile, { account }: Pick<EventFacts, "account">): Attachment[] {
  const { id, name, title, mimetype: mediaType, subtype, duration_ms: duration, size, mode } = file;
  if (mode === "tombstone" || mode === "hidden_by_limit" || mode === "external") return [];
  const url = file.url_private_download ?? file.url_private;
  return [
    {
      name: name || title || id,
      ...(mediaType && { mediaType }),
      ...(size != null && { size }),
      ...(duration != null && { seconds: Math.round(duration / 1000) }),
      ...(subtype === "slack_audio" && { isVoice: true }),
      reference: {
        fileId: id,
        ...(url != null && isSlackAddress(url, account) && { url }),
        ...(mediaType === "text/html" && { isPage: true }),
      },
    },
  ];
}
