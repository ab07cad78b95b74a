import type { z } from "zod";
import type { SecretRef } from "../config/secret-ref.ts";
import type { JsonObject } from "../lib/json.ts";

/**
 * A place where people talk to the agent.
 *
 * `receive` is a row of guards over one webhook request: it answers the refusing `Response` itself, and hands over
 * what a person said. `send` makes one delivery and never throws: its outcome is a union, in which `unsure` means
 * that nobody can know whether the message arrived, so that it is shown to a person instead of being sent twice.
 */
export interface Channel<Account = never> {
  readonly id: string;
  /** What one account of it is configured with. */
  readonly account: z.ZodType<Account>;
  /** Whether conversations of that kind can show our native approval buttons, reactions and so on. */
  readonly capabilities: readonly string[];
  /** Who may talk to the agent through an account. */
  access(account: Account): AccessPolicy;
  /** Whether long replies leave in blocks while they are being written; absent where the agent's default holds. */
  blockStreaming?(account: Account): boolean | undefined;
  /**
   * Which texts natively answer the message at hand where their author does not say: none, the first, or each. Absent
   * where the platform has no such replies, or each of them is one.
   */
  replyToMode?(account: Account): ReplyToMode;
  /** Reads one webhook request. Must not answer 2xx by itself for a message that is to be stored. */
  receive(request: Request, context: ChannelContext<Account>): Promise<ReceiveResult>;
  /** Whether everything is set that sending through an account needs. */
  isReady(context: ChannelContext<Account>): boolean;
  /** The conversation that an id is of, where ids say that; absent where nobody can be written to first. */
  conversationOf?(id: string): Pick<Conversation, "kind" | "id"> | undefined;
  /** Cuts a reply into what the platform takes, each part in its markup, in order. */
  format(markdown: string): string[];
  /** Delivers one part. Honours `signal`. */
  send(part: OutboundPart, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
  /** Delivers a file as `send` does a text; absent where the platform takes none. */
  sendFile?(file: OutboundFile, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
  /** Emojis on messages; absent where the platform has none. */
  readonly reactions?: ChannelReactions<Account>;
  /** A menu of commands in each conversation; absent where the platform has none. */
  readonly menu?: ChannelMenu<Account>;
  /** Tells the conversation that an answer is being worked on, where the platform can; failures are ignored. */
  typing?(target: Target, context: ChannelContext<Account>): Promise<void>;
  /**
   * Looks whether an account can work, also by asking the platform. It changes nothing, never throws, and honours
   * `signal`. At least one finding; absent where there is nothing to look at.
   * @param webhookUrl the address at which the platform has to call
   */
  check?(context: ChannelContext<Account>, webhookUrl: string, signal: AbortSignal): Promise<ChannelFinding[]>;
}

/** Who may talk to the agent through one account. */
export interface AccessPolicy {
  /** Direct messages: after pairing, only from `allowFrom`, from everyone, or from nobody. */
  dmPolicy: "pairing" | "allowlist" | "open" | "disabled";
  /** Senders as ids, `@usernames`, either behind `<channel>:`, or `*` for everyone. */
  allowFrom: readonly string[];
  /** Groups and channels: only those of `groups`, all, or none. */
  groupPolicy: "allowlist" | "open" | "disabled";
  /** What holds for a group, by its id; `*` stands for every other. */
  groups: Readonly<Record<string, { requireMention?: boolean | undefined }>>;
  /** Whether a group has to address the agent, where its own entry does not say. */
  requireMention: boolean;
}

/** How a channel shows which commands there are. */
export interface ChannelMenu<Account> {
  /** Whether an account's conversations have it. */
  isOn(account: Account): boolean;
  /** Shows these and no others in a conversation. Twice is the same as once. Never throws, and honours `signal`. */
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

/** How a channel reacts to messages. */
export interface ChannelReactions<Account> {
  /** How freely the agent may, through an account. */
  level(account: Account): ReactionLevel;
  /** Puts an emoji on a message in place of the agent's earlier one, or takes that back. Twice is the same as once. */
  react(reaction: Reaction, context: ChannelContext<Account>, signal: AbortSignal): Promise<Delivery>;
}

/** `ack`: only to say that a message has come; `minimal` and `extensive`: the agent's own as well. */
export type ReactionLevel = "off" | "ack" | "minimal" | "extensive";

export interface Reaction {
  target: Target;
  messageId: string;
  /** Empty to take it back. */
  emoji: string;
}

/** How one thing is that was looked at; whatever is not well says in a sentence how to mend it. */
export type ChannelFinding =
  | { status: "ok"; message: string }
  | { status: "warn" | "fail"; message: string; fix: string };

/** What a channel is given of the world. */
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
  /** Understood and of no concern to the agent (an edit, a join); answered 200. */
  | { kind: "ignored"; reason: string }
  /** `answer` is the JSON that the platform is answered once the message is stored; `{ok: true}` where absent. */
  | { kind: "message"; message: InboundMessage; answer?: JsonObject };

/** What a person said, in no channel's terms. */
export interface InboundMessage {
  /** The platform's own id of the update: the same id again is the same message. */
  dedupeId: string;
  text: string;
  sender: { id: string; name?: string; username?: string };
  conversation: Conversation;
  /** Whether the agent was addressed: always true in a direct conversation. */
  mentioned: boolean;
  /**
   * Somebody else's words that came along, so not to be trusted: the message that it answers, or one that it passes on;
   * `text` is then only what the sender added, and may be empty.
   */
  quoted?: { text: string; senderName?: string };
  attachments: Attachment[];
  /** The platform's id of this message, to reply to. */
  messageId: string;
}

/** Where it was said. */
export interface Conversation {
  kind: "direct" | "group" | "channel";
  id: string;
  /** The title of a group; set by strangers, so not to be trusted. */
  title?: string;
  threadId?: string;
  /** The server or workspace that it is in, where the platform has such. */
  spaceId?: string;
}

/** A file that came along; `open` fetches it when somebody wants it. */
export interface Attachment {
  name: string;
  mediaType?: string;
  /** In bytes, where the platform says. */
  size?: number;
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** Where a reply goes; plain data, so that it can wait in storage. */
export interface Target {
  channel: string;
  accountId: string;
  kind: Conversation["kind"];
  conversationId: string;
  threadId?: string;
  replyToId?: string;
}

/** One part of a reply on its way. */
export interface OutboundPart {
  target: Target;
  /** In the platform's markup, as `format` made it. */
  text: string;
  /** Stands still over retries, for platforms that drop repeats. */
  deliveryId: string;
  /** Rows of buttons below it; platforms without any leave them out. */
  buttons?: Buttons;
}

/** Pressing a button is as good as writing what it says. */
export interface Button {
  label: string;
  says: string;
}

export type Buttons = readonly (readonly Button[])[];

/** A file on its way. */
export interface OutboundFile extends Omit<OutboundPart, "text" | "buttons"> {
  name: string;
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether a sound file is to be a voice note. */
  asVoice: boolean;
}

/** `off`: a text is a native reply only where its author says so. */
export type ReplyToMode = "off" | "first" | "all";

export type Delivery =
  | { outcome: "delivered"; externalId?: string }
  /** Refused for now and surely not delivered: try again after so many milliseconds. */
  | { outcome: "retry"; afterMs: number; reason: string }
  /** Refused for good. */
  | { outcome: "failed"; reason: string }
  /** Sent, and the answer was lost. */
  | { outcome: "unsure"; reason: string };

/** A channel of any account, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: an account is parsed by the channel's own schema before the channel sees it
export type AnyChannel = Channel<any>;
