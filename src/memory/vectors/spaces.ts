import { and, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { meta, spaces } from "../../db/memory-schema.ts";
import type { Embedder } from "../embed/embedder.ts";

/** A row of `spaces`. */
export type Space = typeof spaces.$inferSelect;

/** The spaces of an agent, the oldest first. */
export async function spacesOf(database: D1Database, agentId: string): Promise<Space[]> {
  const rows = await drizzle(database)
    .select({ space: spaces })
    .from(spaces)
    .innerJoin(meta, eq(meta.id, spaces.memoryId))
    .where(eq(meta.agentId, agentId))
    .orderBy(spaces.id);
  return rows.map(({ space }) => space);
}

/** The space of an embedder in a store. One that is leaving is none: what is half cleared away is not taken up again. */
export function spaceOf(all: readonly Space[], { space }: Pick<Embedder, "space">, store?: Space["store"]) {
  return all.find(({ key, store: its, state }) => key === space && state !== "leaving" && its === (store ?? its));
}

/** Begins a space, once. An agent without an index gets none. */
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

/** Takes note of how far a space is filled: never back, as two may be at it. */
export async function filledThrough(database: D1Database, spaceId: number, chunkId: number): Promise<void> {
  await drizzle(database)
    .update(spaces)
    .set({ filledThrough: sql`max(${spaces.filledThrough}, ${chunkId})` })
    .where(eq(spaces.id, spaceId));
}

/** All live chunks have vectors, so that it can answer. */
export async function becomeReady(database: D1Database, spaceId: number): Promise<void> {
  await drizzle(database)
    .update(spaces)
    .set({ state: "ready" })
    .where(and(eq(spaces.id, spaceId), eq(spaces.state, "building")));
}

/** Takes note of why a space could not be filled; undefined: it could. */
export async function noteFailure(
  database: D1Database,
  spaceId: number,
  failure: { message: string; at: number } | undefined,
): Promise<void> {
  const noted =
    failure === undefined
      ? { failure: null, failedAt: null, failingSince: null }
      : {
          failure: failure.message,
          failedAt: failure.at,
          failingSince: sql`coalesce(${spaces.failingSince}, ${failure.at})`,
        };
  await drizzle(database).update(spaces).set(noted).where(eq(spaces.id, spaceId));
}

/** Spaces are to be cleared away, and answer no more. */
export async function letLeave(database: D1Database, spaceIds: readonly number[]): Promise<void> {
  if (spaceIds.length === 0) return;
  await drizzle(database)
    .update(spaces)
    .set({ state: "leaving" })
    .where(inArray(spaces.id, [...spaceIds]));
}

/** Forgets a space whose vectors are cleared away. */
export async function dropSpace(database: D1Database, spaceId: number): Promise<void> {
  await drizzle(database)
    .delete(spaces)
    .where(and(eq(spaces.id, spaceId), eq(spaces.state, "leaving")));
}
