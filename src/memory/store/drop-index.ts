import { and, asc, eq, isNull, lte, notExists, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, files, gone, meta, spaces } from "../../db/memory-schema.ts";

/** Whether there is anything of an agent. */
export async function hasIndex(database: D1Database, agentId: string): Promise<boolean> {
  const db = drizzle(database);
  const [index, changed] = await db.batch([
    db.select({ id: meta.id }).from(meta).where(eq(meta.agentId, agentId)).limit(1),
    db.select({ path: changes.path }).from(changes).where(eq(changes.agentId, agentId)).limit(1),
  ]);
  return index.length + changed.length > 0;
}

/**
 * Drops an index of which nothing is left but what was said to have changed. One that somebody is at, or that has files,
 * vectors or what is to be forgotten, stays as it is.
 * @returns whether it is gone
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

/** Agents that have an index and are none of these: those first whose index was not looked at for longest. */
export async function othersWithIndex(
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
