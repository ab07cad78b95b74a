import type { Channel, Conversation } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { lineMarkup } from "../markup/plain-platforms.ts";
import { accessToken, type LineAccount, lineAccount } from "./account.ts";

/** The LINE channel: an Official Account, by the Messaging API. It takes no files; links stand in for them. */
export const line: Channel<LineAccount> = {
  id: "line",
  account: lineAccount,
  capabilities: ["approvals", "inline-buttons", "native-replies"],
  access: (account) => account,
  blockStreaming: (account) => account.blockStreaming,
  replyToMode: (account) => account.replyToMode,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./content.ts")).openContent(...args),
  isReady: (context) => accessToken(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, lineMarkup),
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  typing: async (...args) => (await import("./send.ts")).showLoading(...args),
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  connect: async (...args) => (await import("./check.ts")).connectAccount(...args),
};

const KINDS = { U: "direct", C: "group", R: "group" } as const;

/** Ids begin with U for people, C for groups, and R for rooms, which are groups without a name. */
function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  const letter = /^([UCR])[\da-f]{32}$/.exec(id)?.[1];
  return letter === "U" || letter === "C" || letter === "R" ? { kind: KINDS[letter], id } : undefined;
}
