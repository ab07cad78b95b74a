import { z } from "zod";
import { spoken } from "../agent/silent-reply.ts";
import { defineTool, type Tool } from "../agent/tool.ts";
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
}

const ADDRESS = /^([\w-]+):(.+)$/s;

const parameters = z.strictObject({
  action: z.literal("send").default("send"),
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
});

interface MessageArgs extends z.infer<typeof parameters> {
  files?: string[] | undefined;
}

const withFiles = parameters.extend({
  files: z.array(z.string()).max(10).optional().describe("Files of the workspace to send along"),
});

/**
 * Says something to people beside the reply.
 * @param mayAttach whether it also sends files of the workspace, which are the owners'
 */
export function messageTool(outbox: OutboxPort, mayAttach: boolean): Tool<MessageArgs> {
  const schema: z.ZodType<MessageArgs> = mayAttach ? withFiles : parameters;
  return defineTool({
    name: "message",
    summary: "Send messages to people",
    description:
      "Sends a message to this conversation or to another one, at once and apart from your reply. It is delivered " +
      "even if this turn is stopped. Do not say again in the reply what you have sent to this conversation.",
    parameters: schema,
    replay: "safe",
    sequential: true,
    async run({ text, to, replyTo, files = [] }, call) {
      if (spoken(text) === "" && files.length === 0) throw new Error("There is nothing to see in it.");
      const address = typeof to === "string" ? addressIn(to) : to;
      return { text: JSON.stringify(await outbox.send({ text, to: address, replyTo, files }, call)) };
    },
  });
}

function addressIn(to: string): Address | undefined {
  const [, channel, conversationId] = ADDRESS.exec(to) ?? [];
  return channel === undefined || conversationId === undefined ? undefined : { channel, conversationId };
}
