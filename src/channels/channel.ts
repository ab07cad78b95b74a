import type { z } from "zod";
import type { SecretRef } from "../config/secret-ref.ts";
import type { JsonObject } from "../lib/json.ts";
import type { GroupRules } from "./group-rules.ts";

/**
 * A chat platform.
 *
 * `receive` is a row of guards over one webhook request: it answers the refusing `Response` itself, and returns the
 * parsed message. `send` attempts one delivery and never throws: its outcome is a union in which `unsure` means that
 * the message may or may not have arrived, so that it is shown to a person instead of being sent twice.
 */
export interface Channel<Account = never> {
  readonly id: string;
  /** The schema of one account's configuration. */
  readonly account: z.ZodType<Account>;
  /** Native features, such as approval buttons and reactions. */
  readonly capabilities: readonly string[];
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
  /** Whether an account has everything that sending needs. */
  isReady(context: ChannelContext<Account>): boolean;
  /** The conversation of an id, if ids reveal it; absent if the agent cannot write first. */
  conversationOf?(id: string): Pick<Conversation, "kind" | "id"> | undefined;
  /** Splits a reply into parts within the platform's limits, each in its markup, in order. */
  format(markdown: string): string[];
  /** A part without the channel's markup; absent if it has none. */
  plain?(part: string): string;
  /** Delivers one part. Honours `signal`. */
  send(part: OutboundPart, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
  /** Delivers a file; absent if the platform takes none. */
  sendFile?(file: OutboundFile, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
  /** Whether an account prefers a message that arrives twice to one that may not have arrived. */
  atLeastOnce?(account: Account): boolean;
  /** Emoji reactions; absent if the platform has none. */
  readonly reactions?: ChannelReactions<Account>;
  /** The command menu of conversations; absent if the platform has none. */
  readonly menu?: ChannelMenu<Account>;
  /** Shows that an answer is being written, where the platform can; failures are ignored. */
  typing?(target: Target, context: ChannelContext<Account>): Promise<void>;
  /**
   * Checks whether an account works, also by asking the platform. Changes nothing, never throws, and honours `signal`.
   * At least one finding; absent if there is nothing to check.
   * @param webhookUrl the address that the platform has to call
   */
  check?(context: ChannelContext<Account>, webhookUrl: string, signal: AbortSignal): Promise<ChannelFinding[]>;
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

export interface Reaction {
  target: Target;
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
}

export type ReceiveResult =
  | { kind: "refused"; response: Response }
  /** Understood but irrelevant to the agent (an edit, a join); answered 200. */
  | { kind: "ignored"; reason: string }
  /** `answer` is the JSON response after the message is stored; `{ok: true}` by default. */
  | { kind: "message"; message: InboundMessage; answer?: JsonObject };

/** An inbound message, independent of the channel. */
export interface InboundMessage {
  /** The platform's id of the update, for deduplication. */
  dedupeId: string;
  text: string;
  sender: { id: string; name?: string; username?: string };
  conversation: Conversation;
  /** Whether the agent was addressed; always true in a direct conversation. */
  mentioned: boolean;
  /**
   * Untrusted text of another author: the message that it answers, or that it forwards; `text` is then only what the
   * sender added, and may be empty.
   */
  quoted?: { text: string; senderName?: string };
  attachments: Attachment[];
  /** The platform's message id, for replies. */
  messageId: string;
}

/** The conversation of a message. */
export interface Conversation {
  kind: "direct" | "group" | "channel";
  id: string;
  /** The title of a group; untrusted, since strangers can set it. */
  title?: string;
  threadId?: string;
  /** The server or workspace, if the platform has such. */
  spaceId?: string;
}

/** An attached file; `open` downloads it. */
export interface Attachment {
  name: string;
  mediaType?: string;
  /** In bytes, if known. */
  size?: number;
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** The destination of a reply; plain data, so that it can be stored. */
export interface Target {
  channel: string;
  accountId: string;
  kind: Conversation["kind"];
  conversationId: string;
  threadId?: string;
  replyToId?: string;
}

/** One outgoing part of a reply. */
export interface OutboundPart {
  target: Target;
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
export interface OutboundFile extends Omit<OutboundPart, "text" | "buttons"> {
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
