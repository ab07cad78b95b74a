import { DATA_KEY_HINT } from "../../security/data-key.ts";
import type { Channel } from "../channel.ts";
import { markdownParts } from "../markdown-parts.ts";
import { STOPPED } from "../platform-call.ts";
import { isOff, visitorAccess, type WebchatAccount, webchatAccount } from "./account.ts";
import { scriptTag } from "./tag.ts";

/** Most UTF-16 units of one message in the chat box. */
const MAX_PART_UNITS = 30_000;

/**
 * A chat box on any website. Each visitor's session keeps what is delivered to the visitor, and the box asks for it. The
 * agent cannot write first: there is nobody who would look.
 */
export const webchat: Channel<WebchatAccount> = {
  id: "webchat",
  account: webchatAccount,
  capabilities: [],
  hasVisitors: true,
  access: visitorAccess,
  blockStreaming: (account) => account.blockStreaming,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  isReady: ({ account, dataKey }) => dataKey !== undefined && !isOff(account),
  format: (markdown) => markdownParts(markdown, MAX_PART_UNITS),
  // What is kept is kept once, however often it is told to be.
  atLeastOnce: () => true,
  send: async ({ deliveryId }, { dataKey }, signal) => {
    if (signal.aborted) return STOPPED;
    if (dataKey === undefined) return { outcome: "failed", reason: `Visitors cannot be told apart. ${DATA_KEY_HINT}` };
    return { outcome: "delivered", externalId: deliveryId };
  },
  check: async (context) => (await import("./check.ts")).checkAccount(context),
  manifest: scriptTag,
};
