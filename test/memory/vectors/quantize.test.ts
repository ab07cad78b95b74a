import { expect, test } from "vitest";
import { decodeVector, encodeVector, QuantizedVectors, quantize } from "../../../src/memory/vectors/quantize.ts";
import { bitsApart, signCode } from "../../../src/memory/vectors/sign-codes.ts";
import { cosine, randomly, randomVector, unit, vectorNear } from "./random-vectors.ts";

const random = randomly(3);

/** One large number, as some models have it, and many small ones. */
function lopsided(dimensions: number): Float32Array {
  return unit(randomVector(random, dimensions).map((number, at) => (at === 5 ? 0.8 : number * 0.5)));
}

test.each([3, 32, 512, 1024, 3072])("a cosine of %i dimensions is off by less than 0.01", (dimensions) => {
  for (let i = 0; i < 200; i++) {
    const vector = i % 2 === 0 ? randomVector(random, dimensions) : lopsided(dimensions);
    const query = vectorNear(random, vector, i / 50);
    const exact = cosine(query, vector);
    expect(Math.abs(new QuantizedVectors(quantize(vector)).similarity(query, 0) - exact)).toBeLessThan(0.01);
    expect(Math.abs(cosine(query, decodeVector(encodeVector(vector))) - exact)).toBeLessThan(0.01);
  }
});

test("what was stored has length 1 again", () => {
  const back = decodeVector(encodeVector(lopsided(1024)));
  expect(cosine(back, back)).toBeCloseTo(1, 5);
});

test("vectors stand one after the other", () => {
  const vectors = [1, 2, 3].map(() => randomVector(random, 37));
  const bytes = new Uint8Array(vectors.flatMap((vector) => [...quantize(vector)]));
  const many = new QuantizedVectors(bytes);
  for (const [at, vector] of vectors.entries()) expect(many.similarity(vector, at)).toBeCloseTo(1, 3);
});

test("a vector of zeros is near nothing", () => {
  const zeros = new QuantizedVectors(quantize(new Float32Array(16)));
  expect(zeros.similarity(randomVector(random, 16), 0)).toBe(0);
  expect(decodeVector(encodeVector(new Float32Array(3)))).toEqual(new Float32Array(3));
});

test("codes differ in as many bits as the signs do", () => {
  const [a, b] = [randomVector(random, 100), randomVector(random, 100)];
  const signs = a.reduce((sum, number, at) => sum + (number > 0 === b[at]! > 0 ? 0 : 1), 0);
  expect(bitsApart(signCode(a), signCode(b), 0)).toBe(signs);
  expect(bitsApart(signCode(a), Int32Array.of(...signCode(b), ...signCode(a)), 4)).toBe(0);
  const whole = new Float32Array(64).fill(1);
  expect(bitsApart(signCode(whole), signCode(whole.map((number) => -number)), 0)).toBe(64);
});
