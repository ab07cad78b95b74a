import { directAccess } from "../account-fields.ts";
import type { Channel } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { smsMarkup } from "../markup/plain-platforms.ts";
import { credentials, type SmsAccount, senderOf, smsAccount } from "./account.ts";

/** The SMS channel: numbers of Twilio's. It takes no files; links stand in for them. */
export const sms: Channel<SmsAccount> = {
  id: "sms",
  account: smsAccount,
  capabilities: [],
  access: directAccess,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./media.ts")).openMedia(...args),
  isReady: (context) => credentials(context) !== undefined && senderOf(context) !== undefined,
  conversationOf: (id) => (/^(?:\+[1-9]\d{6,14}|\d{3,8})$/.test(id) ? { kind: "direct", id } : undefined),
  format: (markdown) => formatMessages(markdown, smsMarkup),
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  connect: async (...args) => (await import("./check.ts")).connectAccount(...args),
};
