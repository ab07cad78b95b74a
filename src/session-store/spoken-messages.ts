import { and, desc, gte, lt } from "drizzle-orm";
import { stripSilentToken } from "../agent/silent-reply.ts";
import { isForPeople, type Message, textOf } from "../models/message.ts";
import type { SpokenMessage } from "../plugins/hook-map.ts";
import { readMessages } from "./message-pages.ts";
import type { EndedConversation } from "./run.ts";
import { messages } from "./schema.ts";
import type { Store } from "./store.ts";

/** How many messages, and bytes of them, are looked through at once, and how often. */
const PAGE = 100;
const PAGE_BYTES = 256 * 1024;
const MAX_PAGES = 10;

/**
 * What was said aloud in a conversation that is over: its newest messages, oldest first, and fewer than `limit` where
 * little is said among much work.
 */
export function spokenMessages(
  store: Store,
  { fromSeq, beforeSeq }: EndedConversation,
  limit: number,
): SpokenMessage[] {
  const found: SpokenMessage[] = [];
  let before: number | undefined = beforeSeq;
  for (let pages = 0; pages < MAX_PAGES && before !== undefined && found.length < limit; pages++) {
    const where = and(gte(messages.seq, fromSeq), lt(messages.seq, before));
    const page = readMessages(store, { where, orderBy: desc(messages.seq), limit: PAGE, maxBytes: PAGE_BYTES });
    found.push(...page.rows.flatMap(({ message }) => spokenMessage(message) ?? []));
    before = page.moreAfter;
  }
  return found.slice(0, limit).reverse();
}

const SYSTEM = { id: "system" };

/** A message as it was said aloud; undefined for a command, a tool's output, silence, and what the system tells the model. */
export function spokenMessage(message: Message): SpokenMessage | undefined {
  if (message.aside || !isForPeople(message) || message.role === "tool") return undefined;
  const { role, at } = message;
  if (message.role === "assistant") {
    const text = stripSilentToken(textOf(message));
    return text === "" ? undefined : { role, at, text };
  }
  // Nobody said what the system tells the model.
  const { sender = SYSTEM } = message;
  if (sender.id === SYSTEM.id && message.text.startsWith("[System] ")) return undefined;
  return { role, at, text: message.text, ...(message.sender && { owner: message.sender.owner }) };
}
