import { directAccess } from "../account-fields.ts";
import type { Channel } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { wecomMarkup } from "../markup/wecom.ts";
import { type WecomAccount, wecomAccount, wecomCredentials } from "./account.ts";
import { isUserId } from "./user-id.ts";

/** WeCom (企业微信): an application that members write to. It has no groups. */
export const wecom: Channel<WecomAccount> = {
  id: "wecom",
  hasOwnIds: true,
  account: wecomAccount,
  capabilities: ["approvals", "files", "inline-buttons"],
  access: directAccess,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (request, context) => (await import("./receive.ts")).receive(request, context),
  openAttachment: async (reference, context, signal) =>
    (await import("./attachment.ts")).openAttachment(reference, context, signal),
  isReady: (context) => wecomCredentials(context) !== undefined,
  conversationOf: (id) => (isUserId(id) ? { kind: "direct", id } : undefined),
  format: (markdown) => formatMessages(markdown, wecomMarkup),
  plain: wecomMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (part, context, signal) => (await import("./send.ts")).sendPart(part, context, signal),
  sendFile: async (file, context, signal) => (await import("./send-file.ts")).sendFile(file, context, signal),
  check: async (context, _, signal) => (await import("./check.ts")).checkAccount(context, signal),
};
