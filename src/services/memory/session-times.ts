import { desc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { sessions } from "../../db/schema.ts";

/** The time of the last activity in each of an agent's sessions, latest first. @throws the error of D1 */
export async function sessionTimes(
  database: D1Database,
  agentId: string,
  limit: number,
): Promise<{ key: string; updatedAt: number }[]> {
  const { key, updatedAt } = sessions;
  const rows = drizzle(database).select({ key, updatedAt }).from(sessions).where(eq(sessions.agentId, agentId));
  return rows.orderBy(desc(sessions.updatedAt)).limit(limit);
}
