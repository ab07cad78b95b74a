import { type SQL, sql } from "drizzle-orm";

/** The message of SQLite that a guard fails with: nothing else writes a memory without an agent. */
const BROKEN = "NOT NULL constraint failed: meta.agent_id";

/** A statement that does nothing where something is so, and fails its whole batch where it is not: D1 has no other way. */
export function guard(isSo: SQL): SQL {
  return sql`INSERT INTO meta (agent_id) SELECT NULL WHERE NOT (${isSo})`;
}

/** Runs a batch with guards. False, and nothing is changed, where one of them found something else. @throws what D1 throws */
export async function unlessOvertaken(batch: Promise<unknown>): Promise<boolean> {
  try {
    await batch;
    return true;
  } catch (thrown) {
    for (let error = thrown; error instanceof Error; error = error.cause) {
      if (error.message.includes(BROKEN)) return false;
    }
    throw thrown;
  }
}
