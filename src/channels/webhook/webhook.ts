import { lazy } from "../../lib/lazy.ts";
import { directAccess } from "../account-fields.ts";
import type { Channel, Conversation } from "../channel.ts";
import { markdownParts } from "../markdown-parts.ts";
import { accountKeys, type WebhookAccount, type WebhookContext, webhookAccount } from "./account.ts";
import { conversationId } from "./conversation-id.ts";

/** Most UTF-16 units of a reply in one request. */
const MAX_PART_UNITS = 30_000;

const receiving = lazy(() => import("./receive.ts"));
const sending = lazy(() => import("./send.ts"));

/** The signed webhook: any service of one's own, by Standard Webhooks in both directions. */
export const webhook: Channel<WebhookAccount> = {
  id: "webhook",
  hasOwnIds: true,
  account: webhookAccount,
  capabilities: ["files"],
  isGuarded: true,
  access: (account) => ({ ...directAccess(account), groupPolicy: "open", requireMention: false, isVouchedFor: true }),
  blockStreaming: (account) => account.blockStreaming,
  receive: async (...args) => (await receiving()).receive(...args),
  openAttachment: async (...args) => (await receiving()).openAttachment(...args),
  isReady,
  conversationOf: parseConversationId,
  format: (markdown) => markdownParts(markdown, MAX_PART_UNITS),
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await sending()).send(...args),
  sendFile: async (...args) => (await sending()).sendFile(...args),
  check: async (context) => (await import("./check.ts")).checkAccount(context),
};

function isReady(context: WebhookContext): boolean {
  return context.account.replyUrl !== undefined && accountKeys(context).secrets.length > 0;
}

/** The service chooses its ids; one that a reply went to in a group is not known by its id. */
function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  return conversationId.safeParse(id).success ? { kind: "direct", id } : undefined;
}
