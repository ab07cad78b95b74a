import type { Channel } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { slackMarkup } from "../markup/star-platforms.ts";
import { botToken, parseConversationId, type SlackAccount, slackAccount } from "./account.ts";
import { appManifest } from "./manifest.ts";

/** The Slack channel: an app with the Events API, a slash command and buttons. What works is loaded when it is used. */
export const slack: Channel<SlackAccount> = {
  id: "slack",
  account: slackAccount,
  capabilities: ["approvals", "files", "inline-buttons", "native-replies", "reactions"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  replyToMode: (account) => account.replyToMode,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./files.ts")).openAttachment(...args),
  isReady: (context) => botToken(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, slackMarkup),
  plain: slackMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  sendFile: async (...args) => (await import("./files.ts")).sendFile(...args),
  reactions: {
    level: (account) => account.reactionLevel,
    react: async (...args) => (await import("./reactions.ts")).react(...args),
  },
  typing: async (...args) => (await import("./send.ts")).showStatus(...args),
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  manifest: ({ account }, webhookUrl) => appManifest(account, webhookUrl),
};
