import { shortDigest } from "../../lib/digest.ts";
import { D1VectorIndex } from "./d1-vector-index.ts";
import type { Space } from "./spaces.ts";
import { type VectorIndex, VectorIndexError } from "./vector-index.ts";
import type { VectorRoom } from "./vector-room.ts";
import type { VectorizeBinding } from "./vectorize-binding.ts";
import { VectorizeIndex } from "./vectorize-index.ts";

type IndexRoom = Pick<VectorRoom, "database" | "agentId" | "vectorize" | "host" | "packs">;

/** Opens the vectors of a space, wherever they are. @throws VectorIndexError where that cannot be reached from here */
export async function openIndex(room: IndexRoom, space: Space): Promise<VectorIndex> {
  if (space.store === "d1") return inD1(room, space);
  const binding = usableVectorize(room);
  if (binding !== undefined) return inVectorize(room, binding, space);
  throw new VectorIndexError("The vectors are in Vectorize, which is not bound here: add the binding VECTORS.");
}

/** The same for clearing away: where Vectorize is gone, what D1 knows of it goes. */
export async function openToClear(room: IndexRoom, space: Space): Promise<VectorIndex> {
  const binding = space.store === "vectorize" ? usableVectorize(room) : undefined;
  return binding === undefined ? inD1(room, space) : inVectorize(room, binding, space);
}

/** Vectorize, where it is bound and answers. */
export function usableVectorize({ vectorize, host }: IndexRoom): VectorizeBinding | undefined {
  return host === "cloudflare-workers" ? vectorize : undefined;
}

/** A database may have been made anew while the isolate lives on: its spaces have the old numbers, but not their age. */
function inD1({ database, packs }: IndexRoom, { id, dimensions, createdAt }: Space): VectorIndex {
  return new D1VectorIndex({ database, dimensions, cache: packs, name: `${id}.${createdAt}` }, id);
}

async function inVectorize(
  { database, agentId }: IndexRoom,
  binding: VectorizeBinding,
  { id, key, dimensions, createdAt }: Space,
): Promise<VectorIndex> {
  const namespace = await shortDigest(JSON.stringify([agentId, key, id, createdAt]));
  return new VectorizeIndex(binding, database, { id, namespace, dimensions });
}
