import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { expect, test } from "vitest";
import { packs, vectors } from "../../../src/db/memory-schema.ts";
import { type ChunkVector, VectorIndexError } from "../../../src/memory/vectors/vector-index.ts";
import { DIMENSIONS, vectorIndexContract } from "../../contracts/vector-index.ts";
import { cosine, randomly, randomVector } from "../random-vectors.ts";
import { type Watch, watchDatabase } from "../watch-database.ts";
import { newSpaceId, openSpace } from "./open-space.ts";

vectorIndexContract("D1", async () => ({
  index: openSpace(DIMENSIONS).index,
  other: openSpace(DIMENSIONS).index,
  settled: async () => {},
}));

const random = randomly(5);

function some(count: number, { from = 1, dimensions = 32 } = {}): ChunkVector[] {
  return Array.from({ length: count }, (_, at) => ({ chunkId: from + at, vector: randomVector(random, dimensions) }));
}

function readPacks(spaceId: number) {
  return drizzle(env.MEMORY).select().from(packs).where(eq(packs.spaceId, spaceId));
}

/** The chunks with a vector, after a check that rows and packs agree and have each chunk once. */
async function consistentChunks(spaceId: number): Promise<number[]> {
  const rows = await drizzle(env.MEMORY).select().from(vectors).where(eq(vectors.spaceId, spaceId));
  const packed: number[] = [];
  for (const { ids, count } of await readPacks(spaceId)) {
    const chunkIds = new Uint32Array(Uint8Array.fromBase64(ids).buffer);
    expect(chunkIds).toHaveLength(count);
    packed.push(...chunkIds);
  }
  const sorted = packed.toSorted((a, b) => a - b);
  expect(rows.map(({ chunkId }) => chunkId).toSorted((a, b) => a - b)).toEqual(sorted);
  expect(new Set(sorted).size).toBe(sorted.length);
  return sorted;
}

const idsOf = (all: readonly ChunkVector[]) => all.map(({ chunkId }) => chunkId);

test("vectors that are added one by one fill few packs", async () => {
  const { index, spaceId } = openSpace(32);
  const all = some(1200);
  for (let at = 0; at < all.length; at += 40) await index.put(all.slice(at, at + 40));
  expect(await consistentChunks(spaceId)).toEqual(idsOf(all));
  expect((await readPacks(spaceId)).length).toBeLessThan(5);
});

test("space that removed vectors leave in packs is used again, and an empty pack is deleted", async () => {
  const { index, spaceId } = openSpace(32);
  const all = some(1024);
  await index.put(all);
  await index.remove(idsOf(all.slice(0, 700)));
  expect((await readPacks(spaceId)).map(({ count }) => count)).toEqual([324]);
  const more = some(150, { from: 2000 });
  await index.put(more);
  expect((await readPacks(spaceId)).map(({ count }) => count)).toEqual([474]);
  expect(await consistentChunks(spaceId)).toEqual([...idsOf(all.slice(700)), ...idsOf(more)]);
  expect((await index.nearest(all[900]!.vector, 1))[0]?.chunkId).toBe(901);
});

test("a pack fits into a row of D1 for any number of dimensions", async () => {
  const { index, spaceId } = openSpace(3072);
  await index.put(some(500, { dimensions: 3072 }));
  const sizes = (await readPacks(spaceId)).map(({ ids, vectors }) => `${ids}${vectors}`.length);
  expect(Math.max(...sizes)).toBeLessThan(1_050_000);
  expect(Math.max(...sizes)).toBeGreaterThan(700_000);
});

test("a search of 10,000 vectors finds exactly the nearest, in a row for each pack", { timeout: 60_000 }, async () => {
  const all = some(10_000, { dimensions: 64 });
  const { index, spaceId } = openSpace(64);
  await index.put(all);
  const { database, seen } = watchDatabase(env.MEMORY);
  const query = randomVector(random, 64);
  const near = await openSpace(64, { spaceId, database }).index.nearest(query, 24);
  const exact = all.map(({ chunkId, vector }) => ({ chunkId, similarity: cosine(query, vector) }));
  const best = exact.toSorted((a, b) => b.similarity - a.similarity);
  expect(near.map(({ chunkId }) => chunkId).slice(0, 5)).toEqual(idsOf(best as never).slice(0, 5));
  // Quantization may exchange neighbours at the end of the list.
  const isNear = new Set(best.slice(0, 30).map(({ chunkId }) => chunkId));
  expect(near.filter(({ chunkId }) => !isNear.has(chunkId))).toEqual([]);
  expect((await readPacks(spaceId)).length).toBeLessThanOrEqual(21);
  expect(seen.calls).toBeLessThan(4);
});

test("concurrent writers neither lose nor duplicate vectors", async () => {
  const spaceId = newSpaceId();
  const writers = [1, 2, 3].map(() => openSpace(32, { spaceId }).index);
  const all = some(900);
  const shared = all.slice(200, 220);
  await Promise.all([
    writers[0]!.put(all.slice(0, 600)),
    writers[1]!.put(all.slice(300)),
    (async () => {
      for (const one of shared) await writers[2]!.put([one]);
      await writers[2]!.remove(idsOf(shared));
    })(),
  ]);
  await consistentChunks(spaceId);
  await writers[0]!.put(all);
  expect(await consistentChunks(spaceId)).toEqual(idsOf(all));
  for (const at of [0, 250, 310, 899]) expect((await writers[2]!.nearest(all[at]!.vector, 1))[0]?.chunkId).toBe(at + 1);
});

test.each(["before", "after"] as const)(
  "a writer that crashes %s any call leaves rows and packs that agree, and its work can be repeated",
  { timeout: 90_000 },
  async (when) => {
    const all = some(150);
    const story = async (dies: Watch["dies"], spaceId: number) => {
      const { database, seen } = watchDatabase(env.MEMORY, dies && { dies });
      const { index } = openSpace(32, { database, spaceId });
      await index.put(all.slice(0, 100));
      await index.put(all.slice(80));
      await index.remove(idsOf(all.slice(0, 90)));
      return seen.calls;
    };
    const calls = await story(undefined, newSpaceId());
    expect(calls).toBeGreaterThan(7);
    for (let at = 1; at <= calls; at++) {
      const spaceId = newSpaceId();
      await expect(story({ at, when }, spaceId)).rejects.toThrow(VectorIndexError);
      await consistentChunks(spaceId);
      await story(undefined, spaceId);
      expect(await consistentChunks(spaceId)).toEqual(idsOf(all.slice(90)));
    }
  },
);

test("an error of the database is reported as an error of the vector index", async () => {
  const { database } = watchDatabase(env.MEMORY, { dies: { at: 1, when: "before" } });
  await expect(openSpace(32, { database }).index.nearest(randomVector(random, 32), 1)).rejects.toThrow(
    new VectorIndexError("The vectors in D1 cannot be reached: died"),
  );
});
