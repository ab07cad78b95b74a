import type { Channel } from "../channel.ts";
import { teamsMarkup } from "../markup/markdown-platforms.ts";
import { formatMessages } from "../markup/markup.ts";
import { botLogin, type MsteamsAccount, msteamsAccount } from "./account.ts";
import { parseConversationId } from "./conversation.ts";
import { appManifest } from "./manifest.ts";
import { isPicture } from "./picture.ts";

/** Microsoft Teams: a bot of the Bot Framework. */
export const msteams: Channel<MsteamsAccount> = {
  id: "msteams",
  account: msteamsAccount,
  capabilities: ["approvals", "files", "inline-buttons"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./attachment.ts")).openAttachment(...args),
  isReady: (context) => botLogin(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, teamsMarkup),
  plain: teamsMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  sendFile: async (...args) => (await import("./send.ts")).sendPicture(...args),
  takesFile: isPicture,
  typing: async (...args) => (await import("./send.ts")).sendTyping(...args),
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  manifest: appManifest,
};
