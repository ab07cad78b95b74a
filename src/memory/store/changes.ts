import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes } from "../../db/memory-schema.ts";
import type { FileNote, MemoryIndex } from "./memory-index.ts";
import { runAll } from "./statements.ts";

/**
 * Notes that a file was changed or deleted, so that the next search indexes it. Call it after the write took effect.
 * @param token new with each write, so that indexing an earlier write does not settle this one
 * @throws what D1 throws
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

/** Deletes notes of changes, except for files that were changed again. */
export async function settleChanges({ database, agentId }: MemoryIndex, notes: readonly FileNote[]): Promise<void> {
  await runAll(database, settleStatements(agentId, notes));
}

/** The same as statements of a batch. */
export function settleStatements(agentId: string, notes: readonly FileNote[]): SQL[] {
  if (notes.length === 0) return [];
  return [
    sql`DELETE FROM changes WHERE agent_id = ${agentId}
      AND (path, token) IN (SELECT value ->> 'path', value ->> 'token' FROM json_each(${JSON.stringify(notes)}))`,
  ];
}
