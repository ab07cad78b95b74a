import { and, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { meta, spaces } from "../../db/memory-schema.ts";
import type { Embedder } from "../embed/embedder.ts";

/** A row of `spaces`. */
export type Space = typeof spaces.$inferSelect;

/** The spaces of an agent and the size of its index. */
export interface AgentSpaces {
  /** Oldest first. */
  spaces: Space[];
  /** Live chunks. */
  chunks: number;
}

/**
 * Vectors in D1 are compared one by one, so they are searched for a memory of up to this many chunks. A larger one
 * needs Vectorize; its space in D1, if there is one, pauses: it is neither filled nor searched, and goes on when the
 * memory is small enough again.
 */
export const MAX_D1_CHUNKS = 10_000;

/** Reads the spaces of an agent; an agent without an index has none. */
export async function readSpaces(database: D1Database, agentId: string): Promise<AgentSpaces> {
  const rows = await drizzle(database)
    .select({ space: spaces, chunks: meta.chunks })
    .from(meta)
    .leftJoin(spaces, eq(spaces.memoryId, meta.id))
    .where(eq(meta.agentId, agentId))
    .orderBy(spaces.id);
  return { spaces: rows.flatMap(({ space }) => space ?? []), chunks: rows[0]?.chunks ?? 0 };
}

/** Whether a space may be filled and searched; false while one in D1 pauses. */
export function isUsable({ store }: Pick<Space, "store">, chunks: number): boolean {
  return store !== "d1" || chunks <= MAX_D1_CHUNKS;
}

/** The space of an embedder, in any store or a given one. A space that is leaving does not count. */
export function findSpace(
  all: readonly Space[],
  { space }: Pick<Embedder, "space">,
  store?: Space["store"],
): Space | undefined {
  return all.find((one) => one.key === space && one.state !== "leaving" && one.store === (store ?? one.store));
}

/** Adds a space unless it exists. An agent without an index gets none. */
export async function beginSpace(
  database: D1Database,
  agentId: string,
  { space: key, dimensions }: Pick<Embedder, "space" | "dimensions">,
  { store, now }: { store: Space["store"]; now: number },
): Promise<void> {
  const same = and(
    eq(spaces.memoryId, meta.id),
    eq(spaces.key, key),
    eq(spaces.store, store),
    inArray(spaces.state, ["building", "ready"]),
  );
  const row = sql`select null, ${meta.id}, ${key}, ${dimensions}, ${store}, 'building', 0, null, null, null, ${now}
    from ${meta} where ${meta.agentId} = ${agentId} and not exists (select 1 from ${spaces} where ${same})`;
  await drizzle(database).insert(spaces).select(row);
}

/** Records how far a space is filled. It never goes back, because two writers may fill it at once. */
export async function setFilledThrough(database: D1Database, spaceId: number, chunkId: number): Promise<void> {
  await drizzle(database)
    .update(spaces)
    .set({ filledThrough: sql`max(${spaces.filledThrough}, ${chunkId})` })
    .where(eq(spaces.id, spaceId));
}

/** Marks a space as complete, so that it answers. */
export async function markReady(database: D1Database, spaceId: number): Promise<void> {
  await drizzle(database)
    .update(spaces)
    .set({ state: "ready" })
    .where(and(eq(spaces.id, spaceId), eq(spaces.state, "building")));
}

/** Makes spaces incomplete again: chunks are added that they get no vectors of. */
export async function markBuilding(database: D1Database, spaceIds: readonly number[]): Promise<void> {
  if (spaceIds.length === 0) return;
  await drizzle(database)
    .update(spaces)
    .set({ state: "building" })
    .where(and(inArray(spaces.id, [...spaceIds]), eq(spaces.state, "ready")));
}

/** Records why a space could not be filled; undefined clears it. */
export async function recordFailure(
  database: D1Database,
  spaceId: number,
  failure: { message: string; at: number } | undefined,
): Promise<void> {
  const columns =
    failure === undefined
      ? { failure: null, failedAt: null, failingSince: null }
      : {
          failure: failure.message,
          failedAt: failure.at,
          failingSince: sql`coalesce(${spaces.failingSince}, ${failure.at})`,
        };
  await drizzle(database).update(spaces).set(columns).where(eq(spaces.id, spaceId));
}

/** Marks spaces for removal; they no longer answer. */
export async function markLeaving(database: D1Database, spaceIds: readonly number[]): Promise<void> {
  if (spaceIds.length === 0) return;
  await drizzle(database)
    .update(spaces)
    .set({ state: "leaving" })
    .where(inArray(spaces.id, [...spaceIds]));
}

/** Deletes a space after its vectors are cleared. */
export async function dropSpace(database: D1Database, spaceId: number): Promise<void> {
  await drizzle(database)
    .delete(spaces)
    .where(and(eq(spaces.id, spaceId), eq(spaces.state, "leaving")));
}
