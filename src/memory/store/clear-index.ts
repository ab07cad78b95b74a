import { and, asc, eq, inArray, isNull, lte, notExists, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, chunks, files, gone, meta, spaces } from "../../db/memory-schema.ts";
import { deleteChunks } from "./change-files.ts";
import type { MemoryIndex } from "./memory-index.ts";
import { runAll } from "./statements.ts";

/** Chunks of one step. */
const STEP_CHUNKS = 500;
/** Rows of `gone` of one step. */
const STEP_LISTS = 20;

/**
 * Does one step of deleting chunks of dead versions and the vectors of deleted chunks. Safe to repeat, also after a
 * failure.
 * @returns false if nothing was left
 * @throws what `removeVectors` and D1 throw
 */
export async function clearLeftovers(
  index: MemoryIndex,
  removeVectors: (chunkIds: readonly number[]) => Promise<void>,
): Promise<boolean> {
  return (await clearDeletedChunks(index, removeVectors)) || clearDeadVersions(index, removeVectors);
}

async function clearDeletedChunks(
  { database, memoryId }: MemoryIndex,
  removeVectors: (chunkIds: readonly number[]) => Promise<void>,
): Promise<boolean> {
  const db = drizzle(database);
  const lists = await db.select().from(gone).where(eq(gone.memoryId, memoryId)).limit(STEP_LISTS);
  if (lists.length === 0) return false;
  await removeVectors(lists.flatMap(({ chunkIds }) => JSON.parse(chunkIds)));
  await db.delete(gone).where(
    inArray(
      gone.id,
      lists.map(({ id }) => id),
    ),
  );
  return true;
}

/** A dead version is deleted with its last chunk; one step takes many small ones. */
async function clearDeadVersions(
  { database, memoryId }: MemoryIndex,
  removeVectors: (chunkIds: readonly number[]) => Promise<void>,
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
    await removeVectors(ids);
    await runAll(database, deleteChunks(JSON.stringify(ids)));
  }
  const isEmpty = notExists(db.select({ id: chunks.id }).from(chunks).where(eq(chunks.fileId, files.id)));
  await db.delete(files).where(and(isDead, isEmpty));
  return true;
}

/** Whether an agent has an index or noted changes. */
export async function hasIndex(database: D1Database, agentId: string): Promise<boolean> {
  const db = drizzle(database);
  const [index, changed] = await db.batch([
    db.select({ id: meta.id }).from(meta).where(eq(meta.agentId, agentId)).limit(1),
    db.select({ path: changes.path }).from(changes).where(eq(changes.agentId, agentId)).limit(1),
  ]);
  return index.length + changed.length > 0;
}

/**
 * Drops an index that has nothing left but noted changes. One that is leased, or has files, vectors or chunks to
 * delete, stays.
 * @returns whether the agent has no index now
 */
export async function dropIndex(database: D1Database, agentId: string, now: number): Promise<boolean> {
  const db = drizzle(database);
  const isIts = eq(meta.agentId, agentId);
  const none = (table: typeof files | typeof gone | typeof spaces) =>
    notExists(db.select({ id: table.id }).from(table).where(eq(table.memoryId, meta.id)));
  const isFree = or(isNull(meta.leasedUntil), lte(meta.leasedUntil, now));
  const isThere = db.select({ id: meta.id }).from(meta).where(isIts);
  const [, , left] = await db.batch([
    db.delete(meta).where(and(isIts, isFree, none(files), none(gone), none(spaces))),
    db.delete(changes).where(and(eq(changes.agentId, agentId), notExists(isThere))),
    isThere,
  ]);
  return left.length === 0;
}

/** Agents with an index other than the given ones, the least recently compared first. */
export async function otherIndexedAgents(
  database: D1Database,
  agentIds: readonly string[],
  most: number,
): Promise<string[]> {
  const isOther = sql`${meta.agentId} NOT IN (SELECT value FROM json_each(${JSON.stringify(agentIds)}))`;
  const rows = await drizzle(database)
    .select({ agentId: meta.agentId })
    .from(meta)
    .where(isOther)
    .orderBy(asc(meta.comparedAt))
    .limit(most);
  return rows.map(({ agentId }) => agentId);
}
