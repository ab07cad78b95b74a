import { and, eq, inArray, notExists } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { chunks, files, gone } from "../../db/memory-schema.ts";
import { deleteChunks } from "./change-files.ts";
import type { MemoryIndex } from "./memory-index.ts";
import { runAll } from "./run-all.ts";

/** Most chunks of one step. */
const STEP_CHUNKS = 500;
/** Most lists of chunks of one step. */
const STEP_LISTS = 20;

/**
 * Clears away one step of what is not searched any more: chunks of dead versions, and the vectors of chunks that are gone.
 * Safe to repeat, also after it failed halfway.
 * @returns false where nothing was left
 * @throws what `forget` and D1 throw
 */
export async function clearLeftovers(
  index: MemoryIndex,
  forget: (chunkIds: readonly number[]) => Promise<void>,
): Promise<boolean> {
  return (await clearGone(index, forget)) || clearDead(index, forget);
}

async function clearGone(
  { database, memoryId }: MemoryIndex,
  forget: (chunkIds: readonly number[]) => Promise<void>,
): Promise<boolean> {
  const db = drizzle(database);
  const lists = await db.select().from(gone).where(eq(gone.memoryId, memoryId)).limit(STEP_LISTS);
  if (lists.length === 0) return false;
  await forget(lists.flatMap(({ chunkIds }) => JSON.parse(chunkIds)));
  await db.delete(gone).where(
    inArray(
      gone.id,
      lists.map(({ id }) => id),
    ),
  );
  return true;
}

/** Dead versions go with their last chunk: many small ones in one step. */
async function clearDead(
  { database, memoryId }: MemoryIndex,
  forget: (chunkIds: readonly number[]) => Promise<void>,
): Promise<boolean> {
  const db = drizzle(database);
  const isDead = and(eq(files.memoryId, memoryId), eq(files.state, "dead"));
  const [[dead], rows] = await db.batch([
    db.select({ id: files.id }).from(files).where(isDead).limit(1),
    db
      .select({ id: chunks.id })
      .from(files)
      .innerJoin(chunks, eq(chunks.fileId, files.id))
      .where(isDead)
      .limit(STEP_CHUNKS),
  ]);
  if (dead === undefined) return false;
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) {
    await forget(ids);
    await runAll(database, deleteChunks(JSON.stringify(ids)));
  }
  const isEmpty = notExists(db.select({ id: chunks.id }).from(chunks).where(eq(chunks.fileId, files.id)));
  await db.delete(files).where(and(isDead, isEmpty));
  return true;
}
