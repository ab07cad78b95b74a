import { env } from "cloudflare:test";
import { D1VectorIndex } from "../../../src/memory/vectors/d1-vector-index.ts";

/** Above all ids of rows in `spaces`, so that work on those cannot collide with these. */
let spaces = 1_000_000;

/** The id of an unused space. */
export function newSpaceId(): number {
  spaces++;
  return spaces;
}

/** A space in the real D1. */
export function openSpace(dimensions: number, { spaceId = newSpaceId(), database = env.MEMORY } = {}) {
  return { spaceId, index: new D1VectorIndex(database, { id: spaceId, dimensions }) };
}
