import { eq, lt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { KnownAnswers } from "../db/known-answers.ts";
import { logins } from "../db/schema.ts";
import { digestOf } from "../lib/digest.ts";
import type { Scope } from "./tokens.ts";

/** A login. Instants are milliseconds since the epoch. */
export interface Login {
  createdAt: number;
  expiresAt: number;
  scope: Scope;
  /** The token that it was made with; null for the one in the Worker's secrets. */
  tokenId: string | null;
}

/** Stores the digest of a login's secret, and deletes the logins that have expired. */
export async function addLogin(database: D1Database, secret: string, login: Login): Promise<void> {
  const db = drizzle(database);
  await db.batch([
    db.insert(logins).values({ digest: await secretDigest(secret), ...login }),
    db.delete(logins).where(lt(logins.expiresAt, login.createdAt)),
  ]);
}

/** The logins that this isolate has seen, by their digest. */
const knownLogins = new KnownAnswers<Pick<Login, "expiresAt" | "scope">>((database, digest) =>
  drizzle(database)
    .select({ expiresAt: logins.expiresAt, scope: logins.scope })
    .from(logins)
    .where(eq(logins.digest, digest))
    .get(),
);

/**
 * The login with this secret, if it has not expired. One that was removed in another isolate counts for a minute at
 * most.
 * @param waitUntil keeps the request alive while D1 is asked again
 */
export async function findLogin(
  database: D1Database,
  secret: string,
  now: number,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<Pick<Login, "scope"> | undefined> {
  const login = await knownLogins.get(database, await secretDigest(secret), now, waitUntil);
  return login !== undefined && login.expiresAt > now ? login : undefined;
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
