import { env } from "cloudflare:test";
import { D1VectorIndex } from "../../../src/memory/vectors/d1-vector-index.ts";
import { PackCache } from "../../../src/memory/vectors/pack-cache.ts";

/** Above all that rows of `spaces` get, so that what is still at work on one of those cannot meet these. */
let spaces = 1_000_000;

/** The number of a space that nobody else has. */
export function newSpaceId(): number {
  spaces++;
  return spaces;
}

/** A space in the real D1. */
export function openSpace(
  dimensions: number,
  { spaceId = newSpaceId(), database = env.MEMORY, cache = new PackCache(24 * 1024 * 1024) } = {},
) {
  const shelf = { database, dimensions, cache, name: String(spaceId) };
  return { spaceId, index: new D1VectorIndex(shelf, spaceId), cache };
}
