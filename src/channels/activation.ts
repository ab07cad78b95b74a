import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { activations } from "../db/schema.ts";

/** When the agent listens in a group: when it is addressed, or always. */
export type Activation = "mention" | "always";

/** How long an answer of D1 holds in this isolate: every message of a group would ask again. */
const KNOWN_MS = 5000;
/** Groups that are remembered at once. */
const MAX_KNOWN = 1000;

const cached = new Map<string, { activation: Activation | undefined; until: number }>();

/**
 * What an owner has set for the group of a session, against the configuration; undefined for nothing. In another isolate
 * a change is seen a few seconds later.
 */
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

/** Sets when the agent listens in the group of a session; undefined goes back to the configuration. May be repeated. */
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
