import { eq, lt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
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

/** Whether there is a login with this secret that has not expired. */
export async function hasLogin(database: D1Database, secret: string, now: number): Promise<boolean> {
  const row = await drizzle(database)
    .select({ expiresAt: logins.expiresAt })
    .from(logins)
    .where(eq(logins.digest, await secretDigest(secret)))
    .get();
  return row !== undefined && row.expiresAt > now;
}

/** Deletes the login with this secret. Idempotent. */
export async function removeLogin(database: D1Database, secret: string): Promise<void> {
  await drizzle(database)
    .delete(logins)
    .where(eq(logins.digest, await secretDigest(secret)));
}

function secretDigest(secret: string): Promise<string> {
  return digestOf("SHA-256", new TextEncoder().encode(secret));
}
