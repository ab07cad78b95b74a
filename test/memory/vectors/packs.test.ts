import { env } from "cloudflare:test";
import { asc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { describe, expect, test } from "vitest";
import { packs, vectors } from "../../../src/db/memory-schema.ts";
import { PackCache } from "../../../src/memory/vectors/pack-cache.ts";
import { idsOf } from "../../../src/memory/vectors/packs.ts";
import { type ChunkVector, VectorIndexError } from "../../../src/memory/vectors/vector-index.ts";
import { newSpaceId, openSpace } from "./a-space.ts";
import { randomly, randomVector } from "./random-vectors.ts";
import { type Fate, watchedDatabase } from "./watched-database.ts";

const random = randomly(5);

function some(count: number, { from = 1, dimensions = 32 } = {}): ChunkVector[] {
  return Array.from({ length: count }, (_, at) => ({ chunkId: from + at, vector: randomVector(random, dimensions) }));
}

function packsOf(spaceId: number) {
  return drizzle(env.MEMORY).select().from(packs).where(eq(packs.spaceId, spaceId)).orderBy(asc(packs.id));
}

/** Where each chunk's vector is: once, loose or in a pack that has it. */
async function placesOf(spaceId: number): Promise<Map<number, number | null>> {
  const rows = await drizzle(env.MEMORY).select().from(vectors).where(eq(vectors.spaceId, spaceId));
  const places = new Map(rows.map(({ chunkId, packId }) => [chunkId, packId]));
  for (const { id, ids, gone, count } of await packsOf(spaceId)) {
    const isGone = new Set(JSON.parse(gone) as number[]);
    const live = [...idsOf(ids)].filter((chunkId) => !isGone.has(chunkId));
    expect(idsOf(ids)).toHaveLength(count);
    for (const chunkId of live) expect(places.get(chunkId)).toBe(id);
    expect([...places.values()].filter((packId) => packId === id)).toHaveLength(live.length);
  }
  return places;
}

describe("packs", () => {
  test("grow as vectors come one by one: few packs, few loose vectors", async () => {
    const { index, spaceId } = openSpace(32, { database: env.MEMORY });
    for (const slice of Array.from({ length: 30 }, (_, at) => some(40, { from: at * 40 + 1 }))) await index.put(slice);
    const places = await placesOf(spaceId);
    expect(places.size).toBe(1200);
    expect([...places.values()].filter((packId) => packId === null).length).toBeLessThan(64);
    expect((await packsOf(spaceId)).length).toBeLessThan(7);
  });

  test("worn ones are taken apart, and what is left of them goes together", async () => {
    const { index, spaceId } = openSpace(32, { database: env.MEMORY });
    const all = some(1024);
    await index.put(all);
    expect((await packsOf(spaceId)).map(({ count }) => count)).toEqual([512, 512]);
    await index.remove(all.filter(({ chunkId }) => chunkId % 4 > 0).map(({ chunkId }) => chunkId));
    const left = await packsOf(spaceId);
    expect(left.map(({ count, gone }) => [count, gone])).toEqual([[256, "[]"]]);
    expect((await placesOf(spaceId)).size).toBe(256);
    for (const at of [3, 511, 1023]) expect((await index.nearest(all[at]!.vector, 1))[0]?.chunkId).toBe(at + 1);
  });

  test("hold no more than a row may, whatever the dimensions", async () => {
    const { index, spaceId } = openSpace(3072, { database: env.MEMORY });
    await index.put(some(500, { dimensions: 3072 }));
    const rows = await packsOf(spaceId);
    const sizes = rows.map(({ ids, codes, vectors, gone }) => `${ids}${codes}${vectors}${gone}`.length);
    expect(Math.max(...sizes)).toBeLessThan(1_050_000);
    expect(Math.max(...sizes)).toBeGreaterThan(700_000);
  });

  test("two who write at once lose nothing and double nothing", async () => {
    const spaceId = newSpaceId();
    const writers = [1, 2, 3].map(() => openSpace(32, { database: env.MEMORY, spaceId }).index);
    const all = some(900);
    const shared = all.slice(200, 700);
    await Promise.all([
      writers[0]!.put(all.slice(0, 600)),
      writers[1]!.put(all.slice(300)),
      (async () => {
        for (const one of shared.slice(0, 20)) await writers[2]!.put([one]);
        await writers[2]!.remove(shared.slice(0, 20).map(({ chunkId }) => chunkId));
      })(),
    ]);
    await writers[0]!.put(all);
    const places = await placesOf(spaceId);
    expect([...places.keys()].toSorted((a, b) => a - b)).toEqual(all.map(({ chunkId }) => chunkId));
    for (const at of [0, 250, 310, 899]) {
      expect((await writers[2]!.nearest(all[at]!.vector, 1))[0]?.chunkId).toBe(at + 1);
    }
  });

  test("a search that packs are taken from begins anew", async () => {
    const spaceId = newSpaceId();
    const all = some(700);
    const other = openSpace(32, { database: env.MEMORY, spaceId }).index;
    await other.put(all.slice(0, 300));
    const { database, seen } = watchedDatabase(env.MEMORY);
    const batch = database.batch.bind(database);
    database.batch = async (statements) => {
      const listed = await batch(statements as never);
      if (seen.calls === 1) await other.put(all.slice(300));
      return listed as never;
    };
    const { index } = openSpace(32, { database, spaceId });
    expect((await index.nearest(all[7]!.vector, 1))[0]?.chunkId).toBe(8);
    expect((await index.nearest(all[650]!.vector, 1))[0]?.chunkId).toBe(651);
  });

  test.each<"before" | "after">(["before", "after"])(
    "whoever dies %s any call leaves what another can go on with",
    { timeout: 90_000 },
    async (when) => {
      const all = some(150);
      const story = async (fate: Fate, spaceId: number) => {
        const { database, seen } = watchedDatabase(env.MEMORY, fate);
        const { index } = openSpace(32, { database, spaceId });
        await index.put(all.slice(0, 100));
        await index.put(all.slice(80));
        await index.remove(all.slice(0, 90).map(({ chunkId }) => chunkId));
        return seen.calls;
      };
      const calls = await story(() => undefined, newSpaceId());
      expect(calls).toBeGreaterThan(10);
      for (let dying = 1; dying <= calls; dying++) {
        const spaceId = newSpaceId();
        const died = story((call) => (call === dying ? when : undefined), spaceId);
        await expect(died).rejects.toThrow(VectorIndexError);
        await placesOf(spaceId);
        await story(() => undefined, spaceId);
        expect([...(await placesOf(spaceId)).keys()]).toEqual(all.slice(90).map(({ chunkId }) => chunkId));
        const { index } = openSpace(32, { database: env.MEMORY, spaceId });
        expect((await index.nearest(all[120]!.vector, 200)).map(({ chunkId }) => chunkId)).toHaveLength(60);
      }
    },
  );
});

describe("a search", () => {
  test("reads a pack once, and a row a pack each time", async () => {
    const spaceId = newSpaceId();
    await openSpace(32, { database: env.MEMORY, spaceId }).index.put(some(2048));
    const { database, seen } = watchedDatabase(env.MEMORY);
    const { index } = openSpace(32, { database, spaceId });
    const query = randomVector(random, 32);
    const cold = await index.nearest(query, 10);
    expect(seen.calls).toBe(2);
    const before = { ...seen };
    expect(await index.nearest(query, 10)).toEqual(cold);
    expect(seen.calls - before.calls).toBe(1);
    expect(seen.rowsRead - before.rowsRead).toBeLessThan(20);
  });

  test("holds no more than it may, and finds the same with nothing held", async () => {
    const spaceId = newSpaceId();
    const { index } = openSpace(32, { database: env.MEMORY, spaceId });
    const all = some(2048);
    await index.put(all);
    const small = new PackCache(45_000);
    const { database, seen } = watchedDatabase(env.MEMORY);
    const bounded = openSpace(32, { database, spaceId, cache: small }).index;
    const query = randomVector(random, 32);
    for (let i = 0; i < 3; i++) {
      expect(await bounded.nearest(query, 10)).toEqual(await index.nearest(query, 10));
      expect(small.bytes).toBeLessThanOrEqual(45_000);
    }
    expect(small.bytes).toBeGreaterThan(20_000);
    expect(seen.calls).toBe(6);
  });

  test("tells what is wrong with the database, and nothing of what was asked", async () => {
    const { database } = watchedDatabase(env.MEMORY, () => "before");
    const { index } = openSpace(32, { database });
    await expect(index.nearest(randomVector(random, 32), 1)).rejects.toThrow(
      new VectorIndexError("The vectors in D1 cannot be reached: the database went away"),
    );
  });
});
