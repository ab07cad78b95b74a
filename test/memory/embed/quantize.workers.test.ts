import { expect, test } from "vitest";
import {
  cosineWith,
  decodeVector,
  encodeVector,
  QuantizedVectors,
  quantize,
} from "../../../src/memory/embed/quantize.ts";
import { cosine, randomly, randomVector, unit, vectorNear } from "../random-vectors.ts";

const random = randomly(3);

/** A vector with one large number, as in some models. */
function lopsided(dimensions: number): Float32Array {
  return unit(randomVector(random, dimensions).map((number, at) => (at === 5 ? 0.8 : number * 0.5)));
}

test.each([3, 32, 512, 1024, 3072])("a cosine of %i dimensions is off by less than 0.01", (dimensions) => {
  for (let i = 0; i < 200; i++) {
    const vector = i % 2 === 0 ? randomVector(random, dimensions) : lopsided(dimensions);
    const query = vectorNear(random, vector, i / 50);
    const exact = cosine(query, vector);
    expect(Math.abs(cosineWith(query)(new QuantizedVectors(quantize(vector)), 0) - exact)).toBeLessThan(0.01);
    expect(Math.abs(cosine(query, decodeVector(encodeVector(vector))) - exact)).toBeLessThan(0.01);
  }
});

test("a decoded vector has length 1", () => {
  const back = decodeVector(encodeVector(lopsided(1024)));
  expect(cosine(back, back)).toBeCloseTo(1, 5);
});

test("consecutive vectors are compared by their index", () => {
  const vectors = [1, 2, 3].map(() => randomVector(random, 37));
  const bytes = new Uint8Array(vectors.flatMap((vector) => [...quantize(vector)]));
  const many = new QuantizedVectors(bytes);
  for (const [at, vector] of vectors.entries()) expect(cosineWith(vector)(many, at)).toBeCloseTo(1, 3);
});

test("a sparse query gives the same cosines as a dense one", () => {
  const sparse = unit(Float32Array.from({ length: 512 }, (_, at) => (at % 9 === 0 ? at - 200 : 0)));
  for (const vector of [randomVector(random, 512), lopsided(512), vectorNear(random, sparse, 0.5)]) {
    const quantized = new QuantizedVectors(
      new Uint8Array([...quantize(randomVector(random, 512)), ...quantize(vector)]),
    );
    expect(Math.abs(cosineWith(sparse)(quantized, 1) - cosine(sparse, vector))).toBeLessThan(0.01);
  }
});

test("a zero vector has cosine 0", () => {
  const zeros = new QuantizedVectors(quantize(new Float32Array(16)));
  expect(cosineWith(randomVector(random, 16))(zeros, 0)).toBe(0);
  expect(decodeVector(encodeVector(new Float32Array(3)))).toEqual(new Float32Array(3));
});
