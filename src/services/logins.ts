import { eq, lt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { KnownAnswers } from "../db/known-answers.ts";
import { logins } from "../db/schema.ts";
import { digestOf } from "../lib/digest.ts";

/** The life of a login, from `createdAt` to `expiresAt`, in milliseconds since the epoch. */
export interface LoginPeriod {
  createdAt: number;
  expiresAt: number;
}

/** Stores the digest of a login's secret, and deletes the logins that have expired. */
export async function addLogin(database: D1Database, secret: string, period: LoginPeriod): Promise<void> {
  const db = drizzle(database);
  await db.batch([
    db.insert(logins).values({ digest: await secretDigest(secret), ...period }),
    db.delete(logins).where(lt(logins.expiresAt, period.createdAt)),
  ]);
}

/** The logins that this isolate has seen, by their digest. */
const knownLogins = new KnownAnswers<{ expiresAt: number }>((database, digest) =>
  drizzle(database).select({ expiresAt: logins.expiresAt }).from(logins).where(eq(logins.digest, digest)).get(),
);

/**
 * Whether there is a login with this secret that has not expired. One that was removed in another isolate counts for a
 * minute at most.
 * @param waitUntil keeps the request alive while D1 is asked again
 */
export async function hasLogin(
  database: D1Database,
  secret: string,
  now: number,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<boolean> {
  const login = await knownLogins.get(database, await secretDigest(secret), now, waitUntil);
  return login !== undefined && login.expiresAt > now;
}

/** Deletes the login with this secret. Idempotent. */
export async function removeLogin(database: D1Database, secret: string): Promise<void> {
  const digest = await secretDigest(secret);
  await drizzle(database).delete(logins).where(eq(logins.digest, digest));
  knownLogins.drop(database, digest);
}

function secretDigest(secret: string): Promise<string> {
  return digestOf("SHA-256", new TextEncoder().encode(secret));
}
