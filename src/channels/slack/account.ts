import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { chatFields, secretField } from "../account-fields.ts";
import type { ChannelContext, Conversation, Delivery } from "../channel.ts";

/** The configuration of a Slack app. */
export const slackAccount = z.strictObject({
  botToken: secretField("SLACK_BOT_TOKEN", "The bot token of the installed app, `xoxb-…`"),
  signingSecret: secretField("SLACK_SIGNING_SECRET", "The app's signing secret, without which nothing enters"),
  apiBase: address.default("https://slack.com/api").describe("Address of the Web API."),
  botUserId: z
    .string()
    .regex(/^[UW][A-Z0-9]+$/, "use the bot's member id, such as U0123456789")
    .optional()
    .describe("The bot's member id, for events that do not name it; they usually do."),
  slashCommand: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, "use a slash and up to 31 of a-z, 0-9, - and _")
    .default("/isopod")
    .describe("The slash command whose words are a message; two apps of a workspace need different ones."),
  ...chatFields,
});

/** A Slack app's parsed configuration. */
export type SlackAccount = z.output<typeof slackAccount>;

/** The channel context of one Slack app. */
export type SlackContext = ChannelContext<SlackAccount>;

/** The account's token; undefined if it is not set or cannot be in a header. */
export function botToken({ account, secret }: SlackContext): string | undefined {
  const token = secret(account.botToken);
  return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

/** What an account without a token is told. */
export function tokenMissing({ botToken }: SlackAccount): string {
  return `Set ${botToken.id} to the bot token of the installed app.`;
}

/** The outcome of a delivery for an account without a token. */
export function withoutToken({ account }: SlackContext): Delivery {
  return { outcome: "failed", reason: tokenMissing(account) };
}

/**
 * The kind of a conversation by its id, also of one that a member's id stands for.
 *
 * Some events say `channel_type`, but mentions, commands, presses and the addresses of deliveries do not, and the same
 * conversation has to be of one kind for all of them. So a group DM whose id begins with C, as newer ones do, is a
 * channel.
 */
export function conversationKind(id: string): Conversation["kind"] {
  if (/^[DUW]/.test(id)) return "direct";
  return id.startsWith("G") ? "group" : "channel";
}

/** Channels, group DMs, DMs, and members, to whom Slack opens a DM; also in OpenClaw's form, `user:U…` or `channel:C…`. */
export function parseConversationId(address: string): Pick<Conversation, "kind" | "id"> | undefined {
  const id = address.replace(/^(?:user|channel):/, "");
  return /^[CDGUW][A-Z0-9]{6,30}$/.test(id) ? { kind: conversationKind(id), id } : undefined;
}

/** Whether a text is the id of a message: its time. */
export function isTimestamp(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,12}\.\d{1,9}$/.test(text);
}

/** Whether an address is Slack's own, or that of the configured Web API. */
export function isSlackAddress(address: string, { apiBase }: Pick<SlackAccount, "apiBase">): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, origin } = new URL(address);
  if (origin === new URL(apiBase).origin) return true;
  return protocol === "https:" && (hostname === "slack.com" || hostname.endsWith(".slack.com"));
}
