import type { z } from "zod";
import type { SecretRef } from "../config/secret-ref.ts";
import type { JsonObject } from "../lib/json.ts";
import type { DataKey } from "../security/data-key.ts";
import type { GroupRules } from "./group-rules.ts";

/**
 * A chat platform.
 *
 * `receive` is a row of guards over one webhook request: it answers the refusing `Response` itself, and returns what the
 * request brings, without a request of its own that a platform could time out on. `send` attempts one delivery and never
 * throws: its outcome is a union in which `unsure` means that the message may or may not have arrived, so that it is
 * shown to a person instead of being sent twice.
 */
export interface Channel<Account = never> {
  readonly id: string;
  /** The schema of one account's configuration. */
  readonly account: z.ZodType<Account>;
  /** Native features, such as approval buttons and reactions. */
  readonly capabilities: readonly string[];
  /** Whether it calls addresses that people name, and not a platform's: its `fetch` is then the guarded egress. */
  readonly isGuarded?: true;
  /**
   * Whether its people are visitors of a public page. They read what a session has delivered to them in the session
   * itself, so that `send` has nothing to do, and are shown replies alone: no tools, reasoning, costs, questions or causes
   * of errors.
   */
  readonly hasVisitors?: true;
  /** Set if ids belong to the company or service of an account, so that another account may have the same for others. */
  readonly hasOwnIds?: true;
  /** What session keys call a thread; `thread` where absent. */
  readonly threadWord?: "topic";
  /** The access policy of an account. */
  access(account: Account): AccessPolicy;
  /** Whether long replies are sent in blocks while they are written; absent for the agent's default. */
  blockStreaming?(account: Account): boolean | undefined;
  /**
   * Which texts are native replies to the inbound message unless their author says so: none, the first, or all. Absent
   * if the platform has no such replies, or if every text is one.
   */
  replyToMode?(account: Account): ReplyToMode;
  /** Parses one webhook request. Must not answer 2xx itself for a message that the caller has to store. */
  receive(request: Request, context: ChannelContext<Account>): Promise<ReceiveResult>;
  /**
   * Downloads an attachment, when the run that it belongs to begins. May be called again. Honours `signal`.
   * @throws IsopodError whose message says why it cannot be had
   */
  openAttachment?(
    reference: JsonObject,
    context: ChannelContext<Account>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
  /** Whether an account has everything that sending needs. */
  isReady(context: ChannelContext<Account>): boolean;
  /**
   * The conversation of an id, if ids reveal it; absent if the agent cannot write first. Where ids of people look like
   * those of conversations, `user:<id>` is the person.
   */
  conversationOf?(id: string): Pick<Conversation, "kind" | "id"> | undefined;
  /** Splits a reply into parts within the platform's limits, each in its markup, in order. */
  format(markdown: string): string[];
  /** A part without the channel's markup; absent if it has none. */
  plain?(part: string): string;
  /** Delivers one part. Honours `signal`. */
  send(part: OutboundPart, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
  /** Delivers a file; absent if the platform takes none. */
  sendFile?(file: OutboundFile, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
  /** Whether the platform takes a file of this kind and size; any where absent. What it does not take is only named. */
  takesFile?(file: Pick<OutboundFile, "mediaType" | "bytes">): boolean;
  /** Whether an account prefers a message that arrives twice to one that may not have arrived. */
  atLeastOnce?(account: Account): boolean;
  /** Emoji reactions; absent if the platform has none. */
  readonly reactions?: ChannelReactions<Account>;
  /** The command menu of conversations; absent if the platform has none. */
  readonly menu?: ChannelMenu<Account>;
  /** Shows that an answer is being written, where the platform can; failures are ignored. */
  typing?(to: Addressed, context: ChannelContext<Account>): Promise<void>;
  /** Takes back what shows that an answer is being written, for a message that gets none; failures are ignored. */
  unanswered?(to: Addressed, context: ChannelContext<Account>): Promise<void>;
  /**
   * Checks whether an account works, also by asking the platform. Changes nothing, never throws, and honours `signal`.
   * At least one finding; absent if there is nothing to check.
   * @param webhookUrl the address that the platform has to call
   */
  check?(context: ChannelContext<Account>, webhookUrl: string, signal: AbortSignal): Promise<ChannelFinding[]>;
  /**
   * Sets the platform up for an account, as far as it has an interface for that: the webhook's address, commands. Never
   * throws, may be repeated, and honours `signal`. At least one finding; absent if people have to do all of it.
   */
  connect?(context: ChannelContext<Account>, options: ConnectOptions, signal: AbortSignal): Promise<ChannelFinding[]>;
  /** An address that opens a chat with the agent, in which `/start <code>` is sent; undefined if it cannot be told. */
  startLink?(context: ChannelContext<Account>, code: string, signal: AbortSignal): Promise<string | undefined>;
  /** What people paste into the platform's own settings, such as an app manifest. */
  manifest?(context: ChannelContext<Account>, webhookUrl: string): ChannelManifest;
}

/** How an account is connected. */
export interface ConnectOptions {
  /** The address that the platform has to call. */
  webhookUrl: string;
  /** Whether an address that is set to another server is replaced. */
  takeOver: boolean;
  /** The agent's commands, for platforms that keep a list of them. */
  commands?: readonly MenuCommand[];
}

/** A text for the settings of a platform. */
export interface ChannelManifest {
  /** Where it is pasted, in one sentence. */
  use: string;
  mediaType: "application/json" | "application/yaml" | "text/html";
  text: string;
}

/** Who may talk to the agent through one account. */
export interface AccessPolicy {
  /** Direct messages: after pairing, only from `allowFrom`, from everyone, or from no one. */
  dmPolicy: "pairing" | "allowlist" | "open" | "disabled";
  /** Senders as ids, `@usernames`, either behind `<channel>:`, or `*` for everyone. */
  allowFrom: readonly string[];
  /** Groups and channels: only those of `groups`, all, or none. */
  groupPolicy: "allowlist" | "open" | "disabled";
  /** What holds for a group, by its id; `*` stands for every other. */
  groups: Readonly<Record<string, GroupRules>>;
  /** Whether a group has to address the agent, where its own entry does not say. */
  requireMention: boolean;
  /** Whether other bots may talk to the agent; a few rounds at most without a person in between. */
  allowBots: boolean;
  /** Set if only a service with the account's secret brings messages, so that `open` is not open to everybody. */
  isVouchedFor?: true;
}

/** A channel's command menu. */
export interface ChannelMenu<Account> {
  /** Whether the menu is on for an account. */
  isOn(account: Account): boolean;
  /** Replaces the menu of a conversation. Idempotent. Never throws, and honours `signal`. */
  show(
    commands: readonly MenuCommand[],
    target: Target,
    context: ChannelContext<Account>,
    signal: AbortSignal,
  ): Promise<Delivery>;
}

/** A command without its slash: at most 32 of `a-z`, `0-9` and `_`. */
export interface MenuCommand {
  name: string;
  summary: string;
}

/** A channel's reactions. */
export interface ChannelReactions<Account> {
  /** The reaction level of an account. */
  level(account: Account): ReactionLevel;
  /** Sets or removes the agent's reaction on a message. Idempotent. */
  react(reaction: Reaction, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
}

/** `ack`: only to confirm receipt; `minimal` and `extensive`: the agent's own as well. */
export type ReactionLevel = "off" | "ack" | "minimal" | "extensive";

export interface Reaction extends Addressed {
  messageId: string;
  /** Empty to remove it. */
  emoji: string;
}

/** The result of one check; a problem comes with its fix. */
export type ChannelFinding =
  | { status: "ok"; message: string }
  | { status: "warn" | "fail"; message: string; fix: string };

/** What a channel may use of its environment. */
export interface ChannelContext<Account> {
  accountId: string;
  account: Account;
  /** Reads a secret by its reference. */
  secret(ref: SecretRef): string | undefined;
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The address under which platforms reach the Worker, without a path, if the configuration names it. */
  publicUrl?: string;
  /** Signs and seals; absent while its variable is not set. */
  dataKey?: DataKey;
  /** Set where no key encrypts reply tokens: then none is stored, and what is answered later has none. */
  losesTokens?: true;
  /** Sends an email through the Worker's binding; absent if there is none. @throws the binding's Error with a `code` */
  sendEmail?(message: EmailMessageBuilder): Promise<EmailSendResult>;
}

export type ReceiveResult =
  | { kind: "refused"; response: Response }
  /**
   * Nothing for the agent: a handshake, which its response answers, or an event of no interest (a join), which is
   * answered `{ok: true}` if there is no response.
   */
  | { kind: "answered"; reason: string; response?: Response }
  /**
   * What the request brings, at least one. `answer` makes the response once all of it is stored, by what has become of
   * each; `{ok: true}` where absent.
   */
  | {
      kind: "events";
      events: readonly InboundEvent[];
      answer?(outcomes: readonly InboundOutcome[]): Response;
    };

/** What became of an event: a session has it, or the reason why none has. */
export type InboundOutcome =
  | { kind: "accepted" }
  /** `isUnwanted`: its author may not write here, and may be told. */
  | { kind: "ignored"; reason: string; isUnwanted?: true };

export type InboundEvent = InboundMessage | InboundDeletion | InboundReceipt;

/** An inbound message, independent of the channel. */
export interface InboundMessage {
  kind: "message";
  /** The platform's id of the message, or of this edit of it, for deduplication. */
  dedupeId: string;
  text: string;
  sender: Author;
  conversation: Conversation;
  /** Whether the agent was addressed; always true in a direct conversation. */
  mentioned: boolean;
  /** The id of the message that it answers, if it is known. */
  replyToId?: string;
  /**
   * Untrusted text of another author: the message that it answers, or that it forwards; `text` is then only what the
   * sender added, and may be empty.
   */
  quoted?: { text: string; senderName?: string };
  attachments: readonly Attachment[];
  /** The platform's message id, for replies. */
  messageId: string;
  /** Set if it is a new version of a message that was sent before, under the same `messageId`. */
  edited?: true;
  /** Messages of one sender with the same group are one message in several parts, such as an album. */
  groupId?: string;
  /** The channel's own short-lived token, with which it answers this message. Never log or store it as it is. */
  replyToken?: { value: string; expiresAt: number };
  /** Where the platform wants its answers sent, if that differs by conversation; no secret. */
  via?: string;
  /** What an answer repeats of the message, such as its subject; plain data that is stored, and no secret. */
  replyContext?: JsonObject;
}

/** The author of a message. */
export interface Author {
  id: string;
  name?: string;
  username?: string;
  isBot?: true;
  /** Set if nothing proves that the author is who the message says: it is then nobody's who may write. */
  isUnverified?: true;
}

/** A message was deleted by its author. */
export interface InboundDeletion {
  kind: "deletion";
  dedupeId: string;
  messageId: string;
  sender: Author;
  conversation: Conversation;
}

/** What became of a message of the agent, which the platform had accepted under `externalId`. */
export interface InboundReceipt {
  kind: "receipt";
  externalId: string;
  /** The id that it was sent with, where the platform gives it back. */
  deliveryId?: string;
  conversation: Conversation;
  outcome: "delivered" | "read" | "failed";
  /** Why it failed, in words for people. */
  reason?: string;
  /** The platform takes it in another way: it is sent again at once, with this as its target's `via`. */
  resendVia?: string;
}

/** The conversation of a message. */
export interface Conversation {
  kind: "direct" | "group" | "channel";
  id: string;
  /** The title of a group; untrusted, since strangers can set it. */
  title?: string;
  threadId?: string;
  /** The channel of a thread that has an id of its own: what holds for the channel holds for the thread. */
  parentId?: string;
  /** The server or workspace, if the platform has such. */
  spaceId?: string;
}

/** An attached file: its bytes, if they came with the message, or how the channel downloads it. */
export type Attachment = FileFacts & ({ bytes: Uint8Array } | { reference: JsonObject });

/** A file that is downloaded later; plain data, so that it can be stored. */
export type AttachmentReference = FileFacts & { reference: JsonObject };

interface FileFacts {
  /** As the sender named it. */
  name: string;
  mediaType?: string;
  /** In bytes, if known. */
  size?: number;
  /** The length of a recording, if known. */
  seconds?: number;
  /** Set if it is a voice note that the sender has spoken: what is said in it are the sender's own words. */
  isVoice?: true;
  /** What is said in it, where the platform recognizes speech. */
  words?: string;
}

/** The destination of a reply; plain data, so that it can be stored. */
export interface Target {
  channel: string;
  accountId: string;
  kind: Conversation["kind"];
  conversationId: string;
  threadId?: string;
  /** Who is written to in a direct conversation, if its id is not theirs. */
  peerId?: string;
  /** As in the conversation. */
  parentId?: string;
  /** As in the conversation. */
  spaceId?: string;
  replyToId?: string;
  /** As in the message that is answered, or as a receipt says. */
  via?: string;
  replyContext?: JsonObject;
  /** The channel's token, encrypted, and until when it is valid; the channel does without it afterwards. */
  token?: { sealed: string; expiresAt: number };
  /** The Worker's own address, as the platform called it: links to files begin with it. */
  origin?: string;
  /** Set if it is a visitor, as of the channel's `hasVisitors`. */
  isVisitor?: true;
}

/** A destination, with its token decrypted. */
export interface Addressed {
  target: Target;
  /** Absent where the target has none, it has run out, or it cannot be decrypted. */
  token?: string;
}

/** One outgoing part of a reply. */
export interface OutboundPart extends Addressed {
  /** In the platform's markup, from `format`. */
  text: string;
  /** Stable over retries, for platforms that drop duplicates. */
  deliveryId: string;
  /** Rows of buttons; ignored by platforms without any. */
  buttons?: Buttons;
}

/** Pressing a button sends the text `says`. */
export interface Button {
  label: string;
  says: string;
}

export type Buttons = readonly (readonly Button[])[];

/** An outgoing file. */
export interface OutboundFile extends Addressed {
  /** Stable over retries, for platforms that drop duplicates. */
  deliveryId: string;
  name: string;
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether an audio file is sent as a voice note. */
  asVoice: boolean;
}

/** `off`: a text is a native reply only if its author says so. */
export type ReplyToMode = "off" | "first" | "all";

export type Delivery =
  | { outcome: "delivered"; externalId?: string }
  /** Refused for now and surely not delivered: retry after `afterMs`. */
  | { outcome: "retry"; afterMs: number; reason: string }
  /** Permanently refused. */
  | { outcome: "failed"; reason: string }
  /** Sent, but the answer was lost. */
  | { outcome: "unsure"; reason: string };

/** A channel with accounts of any type, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: the channel's own schema parses an account before it is used
export type AnyChannel = Channel<any>;
