import { z } from "zod";
import { stripSilentToken } from "../agent/silent-token.ts";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { Buttons } from "../channels/channel.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import type { CallRef } from "./sessions-port.ts";

const MAX_TEXT_CHARS = 20_000;

/** A conversation on a channel, as a model names it. */
export interface ConversationAddress {
  channel: string;
  conversationId: string;
  accountId?: string | undefined;
  threadId?: string | undefined;
}

/** A message that the agent sends besides its reply. */
export interface OwnMessage {
  /** Markdown. */
  text: string;
  /** Absent for the turn's own conversation. */
  to?: ConversationAddress | undefined;
  /** The message to reply to, by the channel's id. */
  replyTo?: string | undefined;
  /** Paths in the workspace. */
  files?: readonly string[] | undefined;
  buttons?: Buttons | undefined;
}

/** An emoji reaction by the agent. */
export interface OwnReaction {
  /** Empty to remove it. */
  emoji: string;
  /** By the channel's id; absent for the message that the turn answers. */
  messageId?: string | undefined;
  to?: ConversationAddress | undefined;
}

/** A message that is queued for delivery. */
export interface QueuedMessage {
  status: "queued";
  /** `channel:conversation`. */
  to: string;
  deliveryIds: string[];
}

/** Sends messages to people. */
export interface OutboxPort {
  /**
   * Stores a message; it is delivered even if the turn ends. Idempotent for each call.
   * @throws Error that says why it may not be sent
   */
  send(message: OwnMessage, call: CallRef): Promise<QueuedMessage>;
  /**
   * Reacts to a message before it returns. Idempotent.
   * @throws Error that says why it may not, or what the channel refused
   */
  react(reaction: OwnReaction, signal: AbortSignal): Promise<void>;
}

const ADDRESS = /^([\w-]+):(.+)$/s;

/** Text that starts like a command, after any invisible characters. */
const COMMAND = /^[\p{C}\p{Z}\s]*[/／]/u;

/** Only people give commands: a button labelled by a model must not send one. */
function noCommand(text: string): boolean {
  return !COMMAND.test(text);
}

const buttonText = z.string().min(1).max(64).refine(noCommand, "a button says no command; ask people to type it");

function buttonRows<Button extends z.ZodType>(button: Button) {
  return z.array(z.array(button).max(8)).max(8).optional();
}

const parameters = z.strictObject({
  action: z.enum(["send", "react"]).default("send"),
  text: z.string().max(MAX_TEXT_CHARS).default("").describe("What to say, in Markdown"),
  to: z
    .union([
      z.string().regex(ADDRESS, "write <channel>:<conversation id>"),
      z.strictObject({
        channel: z.string(),
        conversationId: z.string(),
        accountId: z.string().optional(),
        threadId: z.string().optional(),
      }),
    ])
    .optional()
    .describe("The conversation, as <channel>:<conversation id>; this one where absent"),
  replyTo: z.string().optional().describe("Id of the message there that it answers"),
  buttons: buttonRows(z.strictObject({ label: buttonText })).describe(
    "Rows of buttons below it; pressing one says its label",
  ),
  emoji: z.string().max(16).optional().describe("react: the emoji; empty takes it back"),
  messageId: z.string().optional().describe("react: the message; the one that you answer where absent"),
});

interface MessageArgs extends Omit<z.infer<typeof parameters>, "buttons"> {
  buttons?: { label: string; says?: string | undefined }[][] | undefined;
  files?: string[] | undefined;
}

const forOwners = parameters.extend({
  buttons: buttonRows(z.strictObject({ label: buttonText, says: buttonText.optional() })).describe(
    "Rows of buttons below it; pressing one says `says`, or its label",
  ),
  files: z.array(z.string()).max(10).optional().describe("Files of the workspace to send along"),
});

/**
 * Sends messages besides the reply.
 * @param isOwners whether it is an owner's turn: only then it may send workspace files, and buttons whose message
 * differs from their label, which could make an owner who presses one say a stranger's words
 */
export function messageTool(outbox: OutboxPort, isOwners: boolean): Tool<MessageArgs> {
  const schema: z.ZodType<MessageArgs> = isOwners ? forOwners : parameters;
  return defineTool({
    name: "message",
    summary: "Send messages to people, and react to theirs",
    description:
      "Sends a message to this conversation or another one, at once and apart from your reply, even if this turn " +
      "is stopped. Do not say again in the reply what you sent here. `react` puts an emoji on a message instead.",
    parameters: schema,
    replay: "safe",
    sequential: true,
    effects: ({ to, text, emoji = "", files = [] }) => [
      ...files.filter(isPrivatePath).map((what) => ({ kind: "read" as const, what })),
      ...(to === undefined ? [] : [{ kind: "send" as const, to: addressText(to), shown: text || emoji }]),
    ],
    async run({ action, text, to, replyTo, files = [], buttons, emoji, messageId }, call) {
      if (action === "react") {
        if (emoji === undefined) throw new Error("Say with which `emoji`.");
        await outbox.react({ emoji, messageId, to: typeof to === "string" ? parseConversation(to) : to }, call.signal);
        return { text: emoji === "" ? "It was taken back." : "Reacted." };
      }
      if (stripSilentToken(text) === "" && files.length === 0) throw new Error("There is nothing to see in it.");
      const rows = buttons?.map((row) => row.map(({ label, says = label }) => ({ label, says })));
      const shown = rows === undefined ? {} : { buttons: rows };
      const address = typeof to === "string" ? parseConversation(to) : to;
      return { text: JSON.stringify(await outbox.send({ text, to: address, replyTo, files, ...shown }, call)) };
    },
  });
}

function parseConversation(to: string): ConversationAddress | undefined {
  const [, channel, conversationId] = ADDRESS.exec(to) ?? [];
  return channel === undefined || conversationId === undefined ? undefined : { channel, conversationId };
}

/** A conversation as `channel:conversation`. */
function addressText(to: string | ConversationAddress): string {
  return typeof to === "string" ? to : `${to.channel}:${to.conversationId}`;
}
