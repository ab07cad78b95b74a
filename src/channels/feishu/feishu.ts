import type { Channel, Conversation } from "../channel.ts";
import { feishuMarkup } from "../markup/markdown-platforms.ts";
import { formatMessages } from "../markup/markup.ts";
import { type FeishuAccount, feishuAccount, feishuCredentials } from "./account.ts";

/** Feishu and Lark: an app with a bot, which sends its events to the webhook. */
export const feishu: Channel<FeishuAccount> = {
  id: "feishu",
  account: feishuAccount,
  capabilities: ["approvals", "files", "inline-buttons", "native-replies", "reactions", "voice-notes"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  replyToMode: (account) => account.replyToMode,
  receive: async (request, context) => (await import("./receive.ts")).receive(request, context),
  openAttachment: async (reference, context, signal) =>
    (await import("./attachment.ts")).openAttachment(reference, context, signal),
  isReady: (context) => feishuCredentials(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, feishuMarkup),
  plain: feishuMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (part, context, signal) => (await import("./send.ts")).sendPart(part, context, signal),
  sendFile: async (file, context, signal) => (await import("./send-file.ts")).sendFile(file, context, signal),
  reactions: {
    level: (account) => account.reactionLevel,
    react: async (reaction, context, signal) => (await import("./react.ts")).react(reaction, context, signal),
  },
  check: async (context, _, signal) => (await import("./check.ts")).checkAccount(context, signal),
  manifest: () => MANIFEST,
};

/** People's ids begin with `ou_`. A chat's id begins with `oc_` and does not tell whether it is a group. */
function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  if (/^ou_\w{1,64}$/.test(id)) return { kind: "direct", id };
  return /^oc_\w{1,64}$/.test(id) ? { kind: "group", id } : undefined;
}

/** The permissions that the app needs. */
const SCOPES = [
  "im:chat:readonly",
  "im:message",
  "im:message.group_at_msg:readonly",
  "im:message.p2p_msg:readonly",
  "im:message:readonly",
  "im:message:send_as_bot",
  "im:resource",
];

const MANIFEST = {
  use: "Paste it at the developer console: Permissions & Scopes, batch import.",
  mediaType: "application/json",
  text: `${JSON.stringify({ scopes: { tenant: SCOPES, user: [] } }, null, 2)}\n`,
} as const;
