import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { movedSessions } from "../db/schema.ts";

const NEXT_REVISION = sql<number>`(select coalesce(max(revision), 0) + 1 from moved_sessions)`;

/**
 * Stores in D1 that the session of an object is in another one, for the isolates that do not know it. Safe to repeat.
 * @throws any error of D1; nothing is written then
 */
export async function saveMove(database: D1Database, from: string, to: string): Promise<void> {
  const db = drizzle(database);
  const move = { movedTo: to, revision: NEXT_REVISION };
  await db.batch([
    db.update(movedSessions).set(move).where(eq(movedSessions.movedTo, from)),
    db
      .insert(movedSessions)
      .values({ object: from, ...move })
      .onConflictDoUpdate({ target: movedSessions.object, set: move }),
  ]);
}
