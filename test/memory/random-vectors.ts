/** A seeded generator of numbers from 0 to 1, without 1. */
export function randomly(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random vector of length 1. */
export function randomVector(random: () => number, dimensions: number): Float32Array {
  return unit(Float32Array.from({ length: dimensions }, () => normal(random)));
}

/** A vector near another one, at a distance of about `spread`. */
export function vectorNear(random: () => number, centre: Float32Array, spread: number): Float32Array {
  const step = spread / Math.sqrt(centre.length);
  return unit(centre.map((number) => number + step * normal(random)));
}

/** A vector of length 1 in the same direction. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

/** The cosine of two vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, at) => sum + number * b[at]!, 0);
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
