import { VectorIndexError } from "./vector-index.ts";

/** @throws VectorIndexError where a vector cannot be one of a space */
export function checkDimensions(vector: Float32Array, dimensions: number): void {
  if (vector.length === dimensions) return;
  throw new VectorIndexError(`A vector has ${vector.length} dimensions, and those of this space have ${dimensions}.`);
}
