import { z } from "zod";
import { stripSilentToken } from "../agent/silent-token.ts";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { Buttons } from "../channels/channel.ts";
import type { CallRef } from "./sessions-port.ts";

const MAX_TEXT_CHARS = 20_000;

/** A conversation on a channel, as a model names it. */
export interface Address {
  channel: string;
  conversationId: string;
  accountId?: string | undefined;
  threadId?: string | undefined;
}

/** What the agent sends on its own initiative. */
export interface OwnMessage {
  /** Markdown. */
  text: string;
  /** Absent for the conversation that the turn belongs to. */
  to?: Address | undefined;
  /** The message there that it answers, by the channel's id. */
  replyTo?: string | undefined;
  /** Paths in the workspace. */
  files?: readonly string[] | undefined;
  buttons?: Buttons | undefined;
}

/** An emoji that the agent puts on a message. */
export interface OwnReaction {
  /** Empty to take it back. */
  emoji: string;
  /** By the channel's id; absent for the message that the turn answers. */
  messageId?: string | undefined;
  to?: Address | undefined;
}

/** A message that will be delivered. */
export interface Queued {
  status: "queued";
  /** `channel:conversation`. */
  to: string;
  deliveryIds: string[];
}

/** Sends messages to people. */
export interface OutboxPort {
  /**
   * Stores a message, which is then delivered whatever happens here; the same call again is the same message.
   * @throws Error that says why it may not be sent
   */
  send(message: OwnMessage, call: CallRef): Promise<Queued>;
  /**
   * Reacts to a message, before it returns; the same again is the same.
   * @throws Error that says why it may not, or what the channel refused
   */
  react(reaction: OwnReaction, signal: AbortSignal): Promise<void>;
}

const ADDRESS = /^([\w-]+):(.+)$/s;

/** What begins as a command does, whatever invisible stands before it. */
const COMMAND = /^[\p{C}\p{Z}\s]*[/／]/u;

/** A command takes a person who means it: none hides behind a button that a model has labelled. */
function noCommand(text: string): boolean {
  return !COMMAND.test(text);
}

const words = z.string().min(1).max(64).refine(noCommand, "a button says no command; ask people to type it");

function rowsOf<Button extends z.ZodType>(button: Button) {
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
  buttons: rowsOf(z.strictObject({ label: words })).describe("Rows of buttons below it; pressing one says its label"),
  emoji: z.string().max(16).optional().describe("react: the emoji; empty takes it back"),
  messageId: z.string().optional().describe("react: the message; the one that you answer where absent"),
});

interface MessageArgs extends Omit<z.infer<typeof parameters>, "buttons"> {
  buttons?: { label: string; says?: string | undefined }[][] | undefined;
  files?: string[] | undefined;
}

const forOwners = parameters.extend({
  buttons: rowsOf(z.strictObject({ label: words, says: words.optional() })).describe(
    "Rows of buttons below it; pressing one says `says`, or its label",
  ),
  files: z.array(z.string()).max(10).optional().describe("Files of the workspace to send along"),
});

/**
 * Says something to people beside the reply.
 * @param isOwners whether it is an owner's turn: only then it sends files of the workspace, and has buttons that say
 * something else than what stands on them, which would put a stranger's words into the mouth of an owner who presses one
 */
export function messageTool(outbox: OutboxPort, isOwners: boolean): Tool<MessageArgs> {
  const schema: z.ZodType<MessageArgs> = isOwners ? forOwners : parameters;
  return defineTool({
    name: "message",
    summary: "Send messages to people, and react to theirs",
    description:
      "Sends a message to this conversation or to another one, at once and apart from your reply. It is delivered " +
      "even if this turn is stopped. Do not say again in the reply what you have sent to this conversation. With " +
      "`react` it puts an emoji on a message instead.",
    parameters: schema,
    replay: "safe",
    sequential: true,
    async run({ action, text, to, replyTo, files = [], buttons, emoji, messageId }, call) {
      if (action === "react") {
        if (emoji === undefined) throw new Error("Say with which `emoji`.");
        await outbox.react({ emoji, messageId, to: typeof to === "string" ? addressIn(to) : to }, call.signal);
        return { text: emoji === "" ? "It was taken back." : "Reacted." };
      }
      if (stripSilentToken(text) === "" && files.length === 0) throw new Error("There is nothing to see in it.");
      const rows = buttons?.map((row) => row.map(({ label, says = label }) => ({ label, says })));
      const shown = rows === undefined ? {} : { buttons: rows };
      const address = typeof to === "string" ? addressIn(to) : to;
      return { text: JSON.stringify(await outbox.send({ text, to: address, replyTo, files, ...shown }, call)) };
    },
  });
}

function addressIn(to: string): Address | undefined {
  const [, channel, conversationId] = ADDRESS.exec(to) ?? [];
  return channel === undefined || conversationId === undefined ? undefined : { channel, conversationId };
}
