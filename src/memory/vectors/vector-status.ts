import { and, count, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { packs, vectors } from "../../db/memory-schema.ts";
import type { MemoryStatus } from "../agent-memory.ts";
import { bestFirst } from "./best-first.ts";
import { chooseStore } from "./choose-store.ts";
import { isFilled } from "./fill-space.ts";
import { embeddersOf } from "./space-keeper.ts";
import { type Space, spacesOf } from "./spaces.ts";
import { isLoose } from "./tidy-packs.ts";
import type { VectorRoom } from "./vector-room.ts";

/** What the status says of vectors. */
export interface VectorStatus extends Pick<MemoryStatus, "vectors" | "failure"> {
  /** Why they are kept where they are, a sentence; null where there are none. */
  why: string | null;
  /** Whether every live chunk has a vector of who is configured, or stands in; also where there are to be none. */
  isWhole: boolean;
}

/** Looks at the spaces of an agent. @throws what D1 throws */
export async function vectorStatus(room: VectorRoom): Promise<VectorStatus> {
  const { primary, fallback } = embeddersOf(room);
  if (primary === undefined) {
    return { vectors: { store: null, ready: null, building: null }, failure: null, why: null, isWhole: true };
  }
  const all = await spacesOf(room.database, room.agentId);
  const [ready] = bestFirst(room, all, "ready");
  const [building] = bestFirst(room, all, "building");
  const isOwn = ready !== undefined && [primary.space, fallback?.space].includes(ready.key);
  const { store, why } = await chooseStore(room, primary, all);
  const failing = all.find(({ state, failure }) => state !== "leaving" && failure !== null);
  return {
    vectors: {
      store: (ready ?? building)?.store ?? store,
      ready: ready ? await countedIn(room.database, ready) : null,
      building: building ? await countedIn(room.database, building) : null,
    },
    failure: failing === undefined ? null : { message: failing.failure ?? "", at: failing.failedAt ?? 0 },
    why,
    isWhole: isOwn && ready.failure === null && (await isFilled(room.database, ready)),
  };
}

/** In D1 the packs know how many they hold; of Vectorize the rows are counted. */
async function countedIn(database: D1Database, { id, key, store }: Space): Promise<{ space: string; vectors: number }> {
  const db = drizzle(database);
  const ofPacks = sql<number>`coalesce(sum(${packs.count} - json_array_length(${packs.gone})), 0)`;
  const [[packed], [rows]] = await db.batch([
    db.select({ vectors: ofPacks }).from(packs).where(eq(packs.spaceId, id)),
    db
      .select({ vectors: count() })
      .from(vectors)
      .where(store === "d1" ? isLoose(id) : and(eq(vectors.spaceId, id))),
  ]);
  return { space: key, vectors: (packed?.vectors ?? 0) + (rows?.vectors ?? 0) };
}
