import { z } from "zod";
import { EmbedError } from "./embedder.ts";

/** What is expected of an answer. */
export interface Expected {
  /** The provider, as people know it. */
  who: string;
  count: number;
  dimensions: number;
}

/** Vectors of length 1 out of what a provider sent, each a list of numbers or 32-bit numbers in base64. @throws EmbedError */
export function unitVectors(given: readonly unknown[], { who, count, dimensions }: Expected): Float32Array[] {
  if (given.length !== count) {
    throw new EmbedError("unavailable", `${who} gave ${given.length} vectors for ${count} texts.`);
  }
  return given.map((one) => {
    const vector = vectorOf(one);
    if (vector === undefined) throw new EmbedError("unavailable", `${who} gave something that is no vector.`);
    if (vector.length !== dimensions) {
      const fix = `set memorySearch.outputDimensionality to ${vector.length}, or name another model`;
      const message = `${who} gave ${vector.length} dimensions where ${dimensions} are expected: ${fix}.`;
      throw new EmbedError("unavailable", message);
    }
    if (!toLengthOne(vector)) throw new EmbedError("unavailable", `${who} gave a vector without a direction.`);
    return vector;
  });
}

const numbered = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.unknown() })),
});

/** The vectors of an answer in OpenAI's form, in the order of what was asked. @throws EmbedError */
export function numberedVectors(answer: unknown, expected: Expected): Float32Array[] {
  const read = numbered.safeParse(answer);
  if (!read.success) throw new EmbedError("unavailable", `${expected.who} gave an answer without vectors.`);
  const { data } = read.data;
  const inOrder: unknown[] = data.map(() => undefined);
  // Where a number is missing, or comes twice, a place stays empty.
  for (const [at, { index = at, embedding }] of data.entries()) if (index in inOrder) inOrder[index] = embedding;
  return unitVectors(inOrder, expected);
}

/** Gives a vector the length 1; false where it has no direction, or holds what is no number. */
export function toLengthOne(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!(sum > 0) || !Number.isFinite(sum)) return false;
  const length = Math.sqrt(sum);
  if (Math.abs(length - 1) > 1e-6) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return true;
}

function vectorOf(given: unknown): Float32Array | undefined {
  if (typeof given === "string") return fromBase64(given);
  if (!Array.isArray(given)) return undefined;
  const vector = new Float32Array(given.length);
  for (const [at, value] of given.entries()) vector[at] = typeof value === "number" ? value : Number.NaN;
  return vector;
}

/** Little-endian numbers of 32 bits. */
function fromBase64(text: string): Float32Array | undefined {
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
