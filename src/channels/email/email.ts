import { lazy } from "../../lib/lazy.ts";
import { directAccess } from "../account-fields.ts";
import type { Channel, Conversation } from "../channel.ts";
import { markdownParts } from "../markdown-parts.ts";
import { refuse } from "../webhook.ts";
import { type EmailAccount, type EmailContext, emailAccount } from "./account.ts";

/** Most UTF-16 units of Markdown in one email; a longer reply is several. */
const MAX_PART_UNITS = 30_000;

const sending = lazy(() => import("./send.ts"));

/** Email: it comes by Email Routing (`receiveEmail`) and goes out by the Worker's binding. */
export const email: Channel<EmailAccount> = {
  id: "email",
  account: emailAccount,
  capabilities: ["files", "native-replies"],
  access: directAccess,
  // A mail is whole.
  blockStreaming: () => false,
  replyToMode: () => "all",
  receive: async () => refuse("method_not_allowed", "Email comes in by Email Routing, and not by a webhook."),
  isReady,
  conversationOf: parseConversationId,
  format: (markdown) => markdownParts(markdown, MAX_PART_UNITS),
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await sending()).send(...args),
  sendFile: async (...args) => (await sending()).sendFile(...args),
  check: async (context) => (await import("./check.ts")).checkAccount(context),
};

function isReady({ account, sendEmail }: EmailContext): boolean {
  return sendEmail !== undefined && account.addresses.length > 0;
}

function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  return /^[^\s@<>"]{1,64}@[^\s@<>"]{1,253}\.[^\s@<>".]{2,}$/.test(id)
    ? { kind: "direct", id: id.toLowerCase() }
    : undefined;
}
