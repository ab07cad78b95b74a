import { z } from "zod";
import { EmbedError } from "./embedder.ts";

/** The expected shape of an answer. */
export interface Expected {
  /** The provider's name for people. */
  provider: string;
  count: number;
  dimensions: number;
}

/** Parses vectors, each a list of numbers or 32-bit floats in base64, and normalizes them. @throws EmbedError */
export function unitVectors(received: readonly unknown[], { provider, count, dimensions }: Expected): Float32Array[] {
  if (received.length !== count) {
    throw new EmbedError("unavailable", `${provider} gave ${received.length} vectors for ${count} texts.`);
  }
  return received.map((one) => {
    const vector = parseVector(one);
    if (vector === undefined) throw new EmbedError("unavailable", `${provider} gave something that is not a vector.`);
    if (vector.length !== dimensions) {
      const fix = `set memorySearch.outputDimensionality to ${vector.length}, or name another model`;
      const message = `${provider} gave ${vector.length} dimensions where ${dimensions} are expected: ${fix}.`;
      throw new EmbedError("unavailable", message);
    }
    if (!normalize(vector)) throw new EmbedError("unavailable", `${provider} gave a vector without a direction.`);
    return vector;
  });
}

const numbered = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.unknown() })),
});

/** The vectors of an answer in OpenAI's format, in the order of the texts. @throws EmbedError */
export function numberedVectors(answer: unknown, expected: Expected): Float32Array[] {
  const read = numbered.safeParse(answer);
  if (!read.success) throw new EmbedError("unavailable", `${expected.provider} gave an answer without vectors.`);
  const { data } = read.data;
  const inOrder: unknown[] = data.map(() => undefined);
  // A missing or duplicate index leaves an element undefined.
  for (const [at, { index = at, embedding }] of data.entries()) if (index in inOrder) inOrder[index] = embedding;
  return unitVectors(inOrder, expected);
}

/** Normalizes a vector in place. Returns false if it is zero or not finite. */
export function normalize(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!(sum > 0) || !Number.isFinite(sum)) return false;
  const length = Math.sqrt(sum);
  if (Math.abs(length - 1) > 1e-6) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return true;
}

function parseVector(value: unknown): Float32Array | undefined {
  if (typeof value === "string") return parseBase64(value);
  if (!Array.isArray(value)) return undefined;
  const vector = new Float32Array(value.length);
  for (const [at, number] of value.entries()) vector[at] = typeof number === "number" ? number : Number.NaN;
  return vector;
}

/** Parses little-endian 32-bit floats. */
function parseBase64(text: string): Float32Array | undefined {
  let bytes: string;
  try {
    bytes = atob(text);
  } catch {
    return undefined;
  }
  if (bytes.length % 4 !== 0) return undefined;
  const view = new DataView(new ArrayBuffer(bytes.length));
  for (let at = 0; at < bytes.length; at++) view.setUint8(at, bytes.charCodeAt(at));
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
