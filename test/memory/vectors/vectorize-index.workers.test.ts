import { env } from "cloudflare:test";
import { expect, expectTypeOf, test } from "vitest";
import { VectorIndexError } from "../../../src/memory/vectors/vector-index.ts";
import {
  type VectorizeBinding,
  VectorizeIndex,
  vectorizeDimensions,
} from "../../../src/memory/vectors/vectorize-index.ts";
import { DIMENSIONS, vectorIndexContract } from "../../contracts/vector-index.ts";
import { StandInVectorize } from "../../fakes/vectorize.ts";
import { randomly, randomVector } from "../random-vectors.ts";
import { newSpaceId } from "./open-space.ts";

function openIn(vectorize: StandInVectorize, dimensions = DIMENSIONS) {
  const id = newSpaceId();
  return new VectorizeIndex(vectorize, env.MEMORY, { id, namespace: `${"n".repeat(36)}${id}`, dimensions });
}

vectorIndexContract("Vectorize", async () => {
  const vectorize = new StandInVectorize(DIMENSIONS);
  return { index: openIn(vectorize), other: openIn(vectorize), settled: async () => vectorize.settle() };
});

const random = randomly(11);
const some = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ chunkId: at + 1, vector: randomVector(random, DIMENSIONS) }));

test("the Worker's Vectorize binding has the expected type", () => {
  expectTypeOf(env.VECTORS).toExtend<VectorizeBinding>();
});

test("writes that Vectorize does not show yet are found later", async () => {
  const vectorize = new StandInVectorize(DIMENSIONS);
  const index = openIn(vectorize);
  const [one] = some(1);
  await index.put([one!]);
  expect(await index.nearest(one!.vector, 1)).toEqual([]);
  await index.nearest(one!.vector, 1);
  expect(await index.nearest(one!.vector, 1)).toMatchObject([{ chunkId: 1 }]);
  await index.remove([1]);
  expect(await index.nearest(one!.vector, 1)).toMatchObject([{ chunkId: 1 }]);
});

test("an upsert that is missing in D1 is repeated once", async () => {
  const vectorize = new StandInVectorize(DIMENSIONS);
  const index = openIn(vectorize);
  const vectors = some(3);
  vectorize.trouble = new Error("VECTOR_UPSERT_ERROR (code = 40000): try again");
  await expect(index.put(vectors)).rejects.toThrow(VectorIndexError);
  vectorize.trouble = undefined;
  await index.put(vectors);
  await index.put(vectors);
  expect(vectorize.size).toBe(3);
  while (!(await index.clear())) {
    // Until there is no more.
  }
  expect(vectorize.size).toBe(0);
});

test("clearing continues after a failure", async () => {
  const vectorize = new StandInVectorize(DIMENSIONS);
  const index = openIn(vectorize);
  await index.put(some(250));
  const remove = vectorize.deleteByIds.bind(vectorize);
  let calls = 0;
  vectorize.deleteByIds = async (ids) => {
    calls++;
    if (calls === 2) throw new Error("gone for a while");
    return remove(ids);
  };
  await expect(index.clear()).rejects.toThrow(/gone for a while/);
  expect(vectorize.size).toBe(150);
  expect(await index.clear()).toBe(true);
  expect(vectorize.size).toBe(0);
});

test("errors of Vectorize are reported, and calls time out", { timeout: 15_000 }, async () => {
  const vectorize = new StandInVectorize(DIMENSIONS);
  const [one] = some(1);
  await expect(openIn(vectorize, DIMENSIONS + 1).nearest(randomVector(random, DIMENSIONS + 1), 1)).rejects.toThrow(
    "Vectorize does not answer as it should: VECTORIZE_ERROR (code = 40012): invalid vector, expected 32 dimensions, and got 33 dimensions",
  );
  expect(await vectorizeDimensions(vectorize)).toBe(DIMENSIONS);
  expect(await vectorizeDimensions({ describe: async () => ({ config: { dimensions: 768 } }) } as never)).toBe(768);
  await expect(vectorizeDimensions({ describe: async () => ({}) } as never)).rejects.toThrow(VectorIndexError);
  vectorize.trouble = "silence";
  await expect(openIn(vectorize).nearest(one!.vector, 1)).rejects.toThrow(/took too long/);
});
