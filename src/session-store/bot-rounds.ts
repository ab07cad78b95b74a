import { desc, sql } from "drizzle-orm";
import { messageField } from "./message-pages.ts";
import { messages } from "./schema.ts";
import type { Store } from "./store.ts";

/** Most newest messages of a conversation that are searched for a person's. */
const MAX_SEARCHED = 50;

/** How many messages of bots the agent has answered since a person spoke last. */
export function botRounds(store: Store): number {
  const newest = store
    .select({
      role: sql<string>`${messageField("$.role")}`,
      isBot: sql<number | null>`${messageField("$.sender.isBot")}`,
      overheard: sql<number | null>`${messageField("$.overheard")}`,
    })
    .from(messages)
    .orderBy(desc(messages.seq))
    .limit(MAX_SEARCHED)
    .all();
  const spoken = newest.filter(({ role }) => role === "user");
  const person = spoken.findIndex(({ isBot }) => isBot === null);
  const bots = person === -1 ? spoken : spoken.slice(0, person);
  return bots.filter(({ overheard }) => overheard === null).length;
}
