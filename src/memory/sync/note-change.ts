import { drizzle } from "drizzle-orm/d1";
import { changes } from "../../db/memory-schema.ts";

/**
 * Takes note that a file is another now, or gone: the next search looks at it. To be called after the write took effect.
 * @param token another one with each write, so that who has indexed an earlier one does not take this for done
 * @throws whatever D1 throws
 */
export async function noteChange(
  database: D1Database,
  agentId: string,
  path: string,
  token: string,
  at: number,
): Promise<void> {
  await drizzle(database)
    .insert(changes)
    .values({ agentId, path: path.normalize("NFC"), token, at })
    .onConflictDoUpdate({ target: [changes.agentId, changes.path], set: { token, at } });
}
