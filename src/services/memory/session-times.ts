import { desc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { sessions } from "../../db/schema.ts";

/** When something last happened in each of an agent's sessions, the latest first. @throws whatever D1 throws */
export async function sessionTimes(
  database: D1Database,
  agentId: string,
  limit: number,
): Promise<{ key: string; updatedAt: number }[]> {
  const { key, updatedAt } = sessions;
  const rows = drizzle(database).select({ key, updatedAt }).from(sessions).where(eq(sessions.agentId, agentId));
  return rows.orderBy(desc(sessions.updatedAt)).limit(limit);
}
