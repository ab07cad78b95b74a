import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { openSpace } from "./a-space.ts";
import { cosine, randomly, randomVector, vectorNear } from "./random-vectors.ts";
import { watchedDatabase } from "./watched-database.ts";

const DIMENSIONS = 256;
const COUNT = 10_500;
const WANTED = 24;

/** Notes come in topics: vectors stand in clusters, and those of queries near them. */
function clustered(random: () => number, count: number): Float32Array[] {
  const centres = Array.from({ length: 500 }, () => randomVector(random, DIMENSIONS));
  return Array.from({ length: count }, () => vectorNear(random, centres[Math.floor(random() * centres.length)]!, 0.8));
}

test("above 10,000 vectors nearly all of the nearest are found, in a few hundred rows", {
  timeout: 120_000,
}, async () => {
  const random = randomly(17);
  const vectors = clustered(random, COUNT);
  const queries = vectors.slice(0, 20).map((vector) => vectorNear(random, vector, 0.8));
  const { index: writer, spaceId } = openSpace(DIMENSIONS, { database: env.MEMORY });
  await writer.put(vectors.map((vector, at) => ({ chunkId: at + 1, vector })));
  const { database, seen } = watchedDatabase(env.MEMORY);
  const { index } = openSpace(DIMENSIONS, { database, spaceId });
  let found = 0;
  for (const query of queries) {
    const exact = vectors
      .map((vector, at) => ({ chunkId: at + 1, similarity: cosine(query, vector) }))
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, WANTED);
    const near = await index.nearest(query, WANTED);
    const isExact = new Set(exact.map(({ chunkId }) => chunkId));
    found += near.filter(({ chunkId }) => isExact.has(chunkId)).length;
    expect(near[0]?.similarity).toBeCloseTo(exact[0]!.similarity, 2);
  }
  expect(found / (queries.length * WANTED)).toBeGreaterThanOrEqual(0.95);
  expect(seen.rowsRead / queries.length).toBeLessThan(1200);

  const [gone] = await index.nearest(queries[0]!, 1);
  await writer.remove([gone!.chunkId]);
  expect((await index.nearest(queries[0]!, WANTED)).map(({ chunkId }) => chunkId)).not.toContain(gone!.chunkId);
});
