import { desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { KnownAnswers } from "../db/known-answers.ts";
import { logins, tokens } from "../db/schema.ts";
import { digestOf } from "../lib/digest.ts";
import { base32, newId } from "../lib/ids.ts";

/** What a token may do: `admin` includes `write`, which includes `read`. */
export const SCOPES = ["read", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a scope includes another. */
export function includesScope(held: Scope, wanted: Scope): boolean {
  return SCOPES.indexOf(held) >= SCOPES.indexOf(wanted);
}

/** What every token of ours begins with, so that scanners for leaked secrets recognize it. */
const PREFIX = "isp_";
const DAY_MS = 86_400_000;

/** A token without its secret. Instants are milliseconds since the epoch. */
export interface TokenView {
  id: string;
  name: string;
  scope: Scope;
  createdAt: number;
  /** Null if it does not expire. */
  expiresAt: number | null;
  /** To the day; null if it was never used. */
  lastUsedAt: number | null;
}

/** A token to make. */
export interface NewToken {
  name: string;
  scope: Scope;
  expiresAt: number | null;
}

/** Makes a token and stores its digest. The secret is in this answer and nowhere else. */
export async function addToken(
  database: D1Database,
  { name, scope, expiresAt }: NewToken,
  now: number,
): Promise<TokenView & { token: string }> {
  const token = PREFIX + base32(crypto.getRandomValues(new Uint8Array(32)));
  const row = { id: newId("tok", now), name, scope, createdAt: now, expiresAt, lastUsedAt: null };
  await drizzle(database)
    .insert(tokens)
    .values({ ...row, digest: await tokenDigest(token) });
  return { ...row, token };
}

/** All tokens, the newest first. */
export async function listTokens(database: D1Database): Promise<TokenView[]> {
  const { digest: _, ...shown } = { ...columns };
  return drizzle(database).select(shown).from(tokens).orderBy(desc(tokens.createdAt)).limit(500);
}

const columns = {
  id: tokens.id,
  name: tokens.name,
  scope: tokens.scope,
  createdAt: tokens.createdAt,
  expiresAt: tokens.expiresAt,
  lastUsedAt: tokens.lastUsedAt,
  digest: tokens.digest,
};

/** Deletes a token and the logins that were made with it; undefined if there is none with this id. */
export async function removeToken(database: D1Database, id: string): Promise<TokenView | undefined> {
  const db = drizzle(database);
  const [removed] = await db.delete(tokens).where(eq(tokens.id, id)).returning();
  if (removed === undefined) return undefined;
  await db.delete(logins).where(eq(logins.tokenId, id));
  knownTokens.drop(database, removed.digest);
  const { digest: _, ...view } = removed;
  return view;
}

const knownTokens = new KnownAnswers<typeof tokens.$inferSelect>((database, digest) =>
  drizzle(database).select().from(tokens).where(eq(tokens.digest, digest)).get(),
);

/**
 * The token with this secret; undefined if there is none, or it has expired. One that was revoked in another isolate
 * counts for a minute at most. The day of its use is noted once a day.
 * @param waitUntil keeps the request alive while D1 is asked again
 */
export async function findToken(
  database: D1Database,
  secret: string,
  now: number,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<TokenView | undefined> {
  if (!secret.startsWith(PREFIX)) return undefined;
  const digest = await tokenDigest(secret);
  const found = await knownTokens.get(database, digest, now, waitUntil);
  if (found === undefined || (found.expiresAt !== null && found.expiresAt <= now)) return undefined;
  const today = now - (now % DAY_MS);
  if ((found.lastUsedAt ?? 0) < today) {
    found.lastUsedAt = today;
    waitUntil(noteUse(database, found.id, today));
  }
  return found;
}

async function noteUse(database: D1Database, id: string, day: number): Promise<void> {
  const isLater = sql`coalesce(${tokens.lastUsedAt}, 0) < ${day}`;
  await drizzle(database).update(tokens).set({ lastUsedAt: day }).where(sql`${tokens.id} = ${id} and ${isLater}`);
}

function tokenDigest(secret: string): Promise<string> {
  return digestOf("SHA-256", new TextEncoder().encode(secret));
}
