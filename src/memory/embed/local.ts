import type { Embedder } from "./embedder.ts";
import { toLengthOne } from "./unit-vectors.ts";

const DIMENSIONS = 512;

/** Another one with every change of what a text's vector is: vectors of two of them cannot be compared. */
const MODEL = "hash-1";

/** Words and their parts, hashed: no key, no network, and the same vector on every machine. */
export function localEmbedder(): Embedder {
  return {
    id: "local",
    model: MODEL,
    dimensions: DIMENSIONS,
    space: `local/${MODEL}/${DIMENSIONS}`,
    sees: "letters",
    maxBatch: 256,
    embed: async (texts) => texts.map(hashed),
  };
}

function hashed(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = hashOf(word);
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + (hash & 0x8000_0000 ? -1 : 1);
  }
  // A text without words is near nothing in particular.
  if (!toLengthOne(vector)) vector[0] = 1;
  return vector;
}

/** FNV-1a, with its bits stirred at the end. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
