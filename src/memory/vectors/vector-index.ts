/** A chunk's vector. */
export interface ChunkVector {
  chunkId: number;
  /** Of length 1. */
  vector: Float32Array;
}

/** A chunk found by its vector. */
export interface NearChunk {
  chunkId: number;
  /** Cosine, -1 to 1. */
  similarity: number;
}

/**
 * The vectors of one space: one agent's vectors by one model.
 *
 * Writes may become visible later (Vectorize): callers join the results with the live chunks. Every method may be
 * repeated. All of them throw `VectorIndexError` and nothing else.
 */
export interface VectorIndex {
  /** Stores any number of vectors and replaces existing ones of the same chunks. */
  put(vectors: readonly ChunkVector[]): Promise<void>;
  /** Removes vectors of chunks; unknown chunks are ignored. */
  remove(chunkIds: readonly number[]): Promise<void>;
  /** The nearest chunks, best first, at most `count`. */
  nearest(vector: Float32Array, count: number): Promise<NearChunk[]>;
  /** Removes a bounded number of vectors; call it again until it returns true. */
  clear(): Promise<boolean>;
}

/** A vector store failed; the message is a sentence that may be shown. */
export class VectorIndexError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "VectorIndexError";
  }
}

/** @throws VectorIndexError if a vector has the wrong number of dimensions for a space */
export function checkDimensions(vector: Float32Array, dimensions: number): void {
  if (vector.length === dimensions) return;
  throw new VectorIndexError(`A vector has ${vector.length} dimensions, and those of this space have ${dimensions}.`);
}
