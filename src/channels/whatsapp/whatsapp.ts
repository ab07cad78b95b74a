import type { Channel, Conversation } from "../channel.ts";
import { formatMessages } from "../markup/markup.ts";
import { whatsappMarkup } from "../markup/star-platforms.ts";
import { credentials, type WhatsAppAccount, whatsappAccount } from "./account.ts";

/** The WhatsApp channel: a number of the WhatsApp Business Platform, by Meta's Cloud API. */
export const whatsapp: Channel<WhatsAppAccount> = {
  id: "whatsapp",
  account: whatsappAccount,
  capabilities: ["approvals", "files", "inline-buttons", "native-replies", "reactions", "voice-notes"],
  access: (account) => ({ ...account, allowFrom: account.allowFrom.map(withoutPlus) }),
  blockStreaming: (account) => account.blockStreaming,
  replyToMode: (account) => account.replyToMode,
  receive: async (...args) => (await import("./receive.ts")).receive(...args),
  openAttachment: async (...args) => (await import("./media.ts")).openMedia(...args),
  isReady: (context) => credentials(context) !== undefined,
  conversationOf: parseConversationId,
  format: (markdown) => formatMessages(markdown, whatsappMarkup),
  plain: whatsappMarkup.plain,
  atLeastOnce: ({ deliveries }) => deliveries.atLeastOnce,
  send: async (...args) => (await import("./send.ts")).sendPart(...args),
  sendFile: async (...args) => (await import("./media.ts")).sendFile(...args),
  reactions: {
    level: (account) => account.reactionLevel,
    react: async (...args) => (await import("./send.ts")).react(...args),
  },
  typing: async (...args) => (await import("./send.ts")).showTyping(...args),
  check: async (...args) => (await import("./check.ts")).checkAccount(...args),
  connect: async (...args) => (await import("./check.ts")).connectAccount(...args),
};

/** People write numbers with a plus sign; WhatsApp's ids have none. */
function withoutPlus(entry: string): string {
  return entry.replace(/^((?:whatsapp:)?)\+(?=\d)/, "$1");
}

/** A person's number, with or without a plus sign, or Meta's id of a person who hides it. Ids of groups reveal nothing. */
function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  const number = withoutPlus(id);
  return /^[1-9]\d{4,19}$|^[A-Z]{2}\.[\dA-Za-z.]{1,140}$/.test(number) ? { kind: "direct", id: number } : undefined;
}
