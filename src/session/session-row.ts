import { newId } from "../lib/ids.ts";
import { session } from "./schema.ts";
import type { Store } from "./store.ts";

/** Whose session an object is, as stored. */
export type SessionRow = typeof session.$inferSelect;

/** The session that this object holds; undefined before its first message. */
export function readSessionRow(store: Store): SessionRow | undefined {
  return store.select().from(session).get();
}

/** Makes the object the session of a key. */
export function createSessionRow(
  store: Store,
  { key, agentId, reservedSeq, now }: { key: string; agentId: string; reservedSeq: number; now: number },
): SessionRow {
  const row: SessionRow = {
    id: 1,
    key,
    agentId,
    sessionId: newId("ses", now),
    createdAt: now,
    epoch: 1,
    reservedSeq,
    contextSeq: 1,
  };
  store.insert(session).values(row).run();
  return row;
}
