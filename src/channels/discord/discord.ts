import type { Channel, Conversation } from "../channel.ts";
import { discordMarkup } from "../markup/markdown-platforms.ts";
import { formatMessages } from "../markup/markup.ts";
import { botToken, type DiscordAccount, discordAccount } from "./account.ts";

/**
 * The Discord channel: an application with a bot. Slash commands and buttons come by webhook, ordinary messages over a
 * connection that the Durable Object `DiscordGateway` keeps open.
 */
export const discord: Channel<DiscordAccount> = {
  id: "discord",
  account: discordAccount,
  capabilities: ["approvals", "files", "inline-buttons", "native-replies", "reactions", "voice-notes"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  replyToMode: (account) => account.replyToMode,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./attachment.ts")).openAttachment(...args),
  isReady: (context) => botToken(context) !== undefined,
  conversationOf: parseAddress,
  format: (markdown) => formatMessages(markdown, discordMarkup),
  plain: discordMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  sendFile: async (...args) => (await import("./send.ts")).sendFile(...args),
  reactions: {
    level: (account) => account.reactionLevel,
    react: async (...args) => (await import("./send.ts")).react(...args),
  },
  typing: async (...args) => (await import("./send.ts")).sendTyping(...args),
  unanswered: async (...args) => (await import("./send.ts")).sendNothing(...args),
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  connect: async (...args) => (await import("./connect.ts")).connectAccount(...args),
};

/** Ids of people and of channels look alike: a bare one is a channel's, and a person is `user:<id>`. */
function parseAddress(address: string): Pick<Conversation, "kind" | "id"> | undefined {
  const [, word, id] = /^(?:(user|channel):)?(\d{1,20})$/.exec(address) ?? [];
  if (id === undefined) return undefined;
  return { kind: word === "user" ? "direct" : "channel", id };
}
