import { beforeEach, describe, expect, test } from "vitest";
import { type ChunkVector, type VectorIndex, VectorIndexError } from "../../src/memory/vectors/vector-index.ts";
import { cosine, randomly, randomVector, vectorNear } from "../memory/random-vectors.ts";

/** An index under test. */
export interface OpenIndex {
  index: VectorIndex;
  /** Another space in the same store. */
  other: VectorIndex;
  /** Waits until all writes are visible. */
  settled(): Promise<void>;
}

/** Dimensions of the vectors in this suite. */
export const DIMENSIONS = 32;

/** The contract suite of `VectorIndex`. `open` returns two empty spaces. */
export function vectorIndexContract(name: string, open: () => Promise<OpenIndex>): void {
  describe(`${name} keeps the contract of a vector index`, () => {
    let index: VectorIndex;
    let other: VectorIndex;
    let settled: () => Promise<void>;
    let random: () => number;

    beforeEach(async () => {
      ({ index, other, settled } = await open());
      random = randomly(7);
    });

    function some(count: number, from = 1): ChunkVector[] {
      return Array.from({ length: count }, (_, at) => ({
        chunkId: from + at,
        vector: randomVector(random, DIMENSIONS),
      }));
    }

    async function idsNear(vector: Float32Array, count: number): Promise<number[]> {
      await settled();
      return (await index.nearest(vector, count)).map(({ chunkId }) => chunkId);
    }

    test("an empty index finds nothing", async () => {
      expect(await idsNear(randomVector(random, DIMENSIONS), 5)).toEqual([]);
      await index.remove([1, 2]);
      await index.put([]);
      await index.remove([]);
    });

    test("the nearest chunks come first, with their cosine", async () => {
      const vectors = some(300);
      await index.put(vectors);
      await settled();
      const query = vectorNear(random, vectors[41]!.vector, 0.3);
      const near = await index.nearest(query, 20);
      expect(near).toHaveLength(20);
      expect(near[0]?.chunkId).toBe(42);
      const exact = new Map(vectors.map(({ chunkId, vector }) => [chunkId, cosine(query, vector)]));
      for (const { chunkId, similarity } of near) expect(similarity).toBeCloseTo(exact.get(chunkId)!, 1.7);
      expect(near.map(({ similarity }) => similarity)).toEqual(
        near.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
      );
    });

    test("more vectors than one write accepts are stored and found", async () => {
      const vectors = some(2300);
      await index.put(vectors);
      for (const at of [0, 999, 1000, 1001, 2299]) {
        expect(await idsNear(vectors[at]!.vector, 1)).toEqual([at + 1]);
      }
    });

    test("a search returns at most the requested number of chunks, or all if there are fewer", async () => {
      await index.put(some(5));
      expect(await idsNear(randomVector(random, DIMENSIONS), 10)).toHaveLength(5);
      expect(await idsNear(randomVector(random, DIMENSIONS), 3)).toHaveLength(3);
      await index.put(some(300));
      expect((await idsNear(randomVector(random, DIMENSIONS), 250)).length).toBeGreaterThanOrEqual(100);
    });

    test("a second vector of a chunk replaces the first", async () => {
      const vectors = some(200);
      await index.put(vectors);
      const moved = randomVector(random, DIMENSIONS);
      await index.put([{ chunkId: 9, vector: moved }]);
      await index.put([{ chunkId: 9, vector: moved }]);
      await settled();
      expect((await index.nearest(moved, 1))[0]).toMatchObject({ chunkId: 9 });
      const near = await index.nearest(vectors[8]!.vector, 100);
      expect(near.filter(({ chunkId }) => chunkId === 9).length).toBeLessThanOrEqual(1);
      expect(near[0]!.similarity).toBeLessThan(0.9);
    });

    test("removed chunks are not found, the others are", async () => {
      const vectors = some(400);
      await index.put(vectors);
      const removed = vectors.filter(({ chunkId }) => chunkId % 3 > 0).map(({ chunkId }) => chunkId);
      await index.remove(removed);
      await index.remove([...removed, 9_999]);
      const found = await idsNear(vectors[1]!.vector, 100);
      expect(found).toHaveLength(100);
      expect(found.filter((chunkId) => chunkId % 3 > 0)).toEqual([]);
      expect(await idsNear(vectors[398]!.vector, 1)).toEqual([399]);
    });

    test("a removed chunk can be put again", async () => {
      const vectors = some(150);
      await index.put(vectors);
      await index.remove([7]);
      await index.put([vectors[6]!]);
      expect(await idsNear(vectors[6]!.vector, 1)).toEqual([7]);
    });

    test("spaces are separate", async () => {
      const [mine, theirs] = [some(100), some(100)];
      await index.put(mine);
      await other.put(theirs);
      await settled();
      expect((await index.nearest(theirs[3]!.vector, 1))[0]!.similarity).toBeLessThan(0.95);
      await other.remove([1]);
      while (!(await other.clear())) {
        // Until there is no more.
      }
      await settled();
      expect(await other.nearest(theirs[3]!.vector, 5)).toEqual([]);
      expect((await index.nearest(mine[0]!.vector, 1))[0]?.chunkId).toBe(1);
    });

    test("clearing ends, leaves nothing, and the space can be used again", async () => {
      await index.put(some(2300));
      let steps = 0;
      while (!(await index.clear())) steps++;
      expect(steps).toBeLessThan(50);
      expect(await idsNear(randomVector(random, DIMENSIONS), 10)).toEqual([]);
      expect(await index.clear()).toBe(true);
      const [again] = some(1, 5);
      await index.put([again!]);
      expect(await idsNear(again!.vector, 10)).toEqual([5]);
    });

    test("a vector of other dimensions is rejected with a message", async () => {
      const short = randomVector(random, DIMENSIONS - 1);
      for (const attempt of [() => index.put([{ chunkId: 1, vector: short }]), () => index.nearest(short, 1)]) {
        const error = await attempt().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(VectorIndexError);
        expect((error as Error).message).toMatch(/31 dimensions/);
      }
    });
  });
}
