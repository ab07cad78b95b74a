import { settingValue } from "../account-fields.ts";
import type { Channel } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { googleChatMarkup } from "../markup/star-platforms.ts";
import { type GooglechatAccount, googlechatAccount } from "./account.ts";
import { parseConversationId } from "./inbound.ts";

/** Google Chat: an app with an HTTP endpoint, which writes as a service account. */
export const googlechat: Channel<GooglechatAccount> = {
  id: "googlechat",
  account: googlechatAccount,
  capabilities: ["approvals", "inline-buttons"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./attachment.ts")).openAttachment(...args),
  isReady: ({ account, secret }) =>
    Boolean(settingValue(account.audience, { secret }) && secret(account.serviceAccount)),
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, googleChatMarkup),
  plain: googleChatMarkup.plain,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  // Google drops what comes twice under one id, so what may not have arrived is sent again.
  atLeastOnce: () => true,
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
};
