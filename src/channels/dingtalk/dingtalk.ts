import type { Channel, Conversation } from "../channel.ts";
import { dingtalkMarkup } from "../markup/markdown-platforms.ts";
import { formatMessages } from "../markup/markup.ts";
import { type DingtalkAccount, dingtalkAccount, dingtalkCredentials } from "./account.ts";

/** DingTalk (钉钉): an app whose robot has its messages sent to the webhook. */
export const dingtalk: Channel<DingtalkAccount> = {
  id: "dingtalk",
  hasOwnIds: true,
  account: dingtalkAccount,
  capabilities: ["approvals", "files", "inline-buttons"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (request, context) => (await import("./receive.ts")).receive(request, context),
  openAttachment: async (reference, context, signal) =>
    (await import("./attachment.ts")).openAttachment(reference, context, signal),
  isReady: (context) => dingtalkCredentials(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, dingtalkMarkup),
  plain: dingtalkMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (part, context, signal) => (await import("./send.ts")).sendPart(part, context, signal),
  sendFile: async (file, context, signal) => (await import("./send-file.ts")).sendFile(file, context, signal),
  check: async (context, _, signal) => (await import("./check.ts")).checkAccount(context, signal),
};

/** A conversation's id begins with `cid`; a person is written to by the staff id. */
function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  if (/^cid[\w+/=-]{4,100}$/.test(id)) return { kind: "group", id };
  return /^[A-Za-z0-9][\w.@-]{0,63}$/.test(id) ? { kind: "direct", id } : undefined;
}
