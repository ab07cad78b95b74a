import { count, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { packs, vectors } from "../../db/memory-schema.ts";
import type { MemoryStatus } from "../agent-memory.ts";
import { isFilled } from "./fill-space.ts";
import { isUsable, readSpaces, type Space } from "./spaces.ts";
import { byPreference } from "./vector-search.ts";
import { chooseStore, enabledEmbedders, type VectorDeps } from "./vector-store.ts";

/** The part of a memory's status about vectors. */
export interface VectorStatus extends Pick<MemoryStatus, "vectors" | "failure"> {
  /** Why they are stored where they are; null if there are none. */
  why: string | null;
  /** Whether no vector waits to be made. */
  isWhole: boolean;
}

/** Reads the state of an agent's vectors. @throws what D1 throws */
export async function vectorStatus(deps: VectorDeps): Promise<VectorStatus> {
  const { primary, fallback } = enabledEmbedders(deps);
  if (primary === undefined) {
    return { vectors: { store: null, ready: null, building: null }, failure: null, why: null, isWhole: true };
  }
  const all = await readSpaces(deps.database, deps.agentId);
  const usable = all.spaces.filter((space) => isUsable(space, all.chunks));
  const [ready] = byPreference(deps, usable, "ready");
  const [building] = byPreference(deps, usable, "building");
  const isOwn = ready !== undefined && [primary.space, fallback?.space].includes(ready.key);
  const { store, why, unavailable } = await chooseStore(deps, primary, all);
  const failing = usable.find(({ state, failure }) => state !== "leaving" && failure !== null);
  return {
    vectors: {
      store: (ready ?? building)?.store ?? store,
      ready: ready ? await countVectors(deps.database, ready) : null,
      building: building ? await countVectors(deps.database, building) : null,
      ...(unavailable && { unavailable }),
    },
    failure: failing === undefined ? null : { message: failing.failure ?? "", at: failing.failedAt ?? 0 },
    why,
    isWhole: store === null || (isOwn && ready.failure === null && (await isFilled(deps.database, ready))),
  };
}

/** D1's packs know their counts; for Vectorize the rows are counted. */
async function countVectors(
  database: D1Database,
  { id, key, store }: Space,
): Promise<{ space: string; vectors: number }> {
  const db = drizzle(database);
  const [row] =
    store === "d1"
      ? await db
          .select({ vectors: sql<number>`coalesce(sum(${packs.count}), 0)` })
          .from(packs)
          .where(eq(packs.spaceId, id))
      : await db.select({ vectors: count() }).from(vectors).where(eq(vectors.spaceId, id));
  return { space: key, vectors: row?.vectors ?? 0 };
}
