import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { activations } from "../db/schema.ts";

/** When the agent answers in a group: when it is addressed, or always. */
export type Activation = "mention" | "always";

/** How long D1's answer is cached in this isolate, so that not every group message queries it. */
const KNOWN_MS = 5000;
/** Most groups in the cache. */
const MAX_KNOWN = 1000;

const cached = new Map<string, { activation: Activation | undefined; until: number }>();

/** A group's activation as an owner set it; undefined if not set. Other isolates see a change a few seconds later. */
export async function findActivation(
  database: D1Database,
  sessionKey: string,
  now: number,
): Promise<Activation | undefined> {
  const last = cached.get(sessionKey);
  if (last !== undefined && now < last.until) return last.activation;
  const row = await drizzle(database).select().from(activations).where(eq(activations.sessionKey, sessionKey)).get();
  if (cached.size >= MAX_KNOWN) cached.clear();
  cached.set(sessionKey, { activation: row?.mode, until: now + KNOWN_MS });
  return row?.mode;
}

/** Sets a group's activation; undefined removes the setting. Idempotent. */
export async function saveActivation(
  database: D1Database,
  sessionKey: string,
  mode: Activation | undefined,
): Promise<void> {
  const db = drizzle(database);
  if (mode === undefined) await db.delete(activations).where(eq(activations.sessionKey, sessionKey));
  else {
    const target = activations.sessionKey;
    await db.insert(activations).values({ sessionKey, mode }).onConflictDoUpdate({ target, set: { mode } });
  }
  cached.delete(sessionKey);
}
