/** A vector under the id of its chunk. */
export interface ChunkVector {
  chunkId: number;
  /** Of length 1. */
  vector: Float32Array;
}

/** A chunk that is near. */
export interface NearChunk {
  chunkId: number;
  /** Cosine, -1 to 1. */
  similarity: number;
}

/**
 * The vectors of one space: one agent's, by one model.
 *
 * What was put may be found a moment later (Vectorize), and what was removed may still be: who asks joins the answer with the
 * chunks that are live. Every verb may be repeated. A failure of the store is a `VectorIndexError`.
 */
export interface VectorIndex {
  /** Stores vectors, over those that the same chunks have. Any number of them. */
  put(vectors: readonly ChunkVector[]): Promise<void>;
  /** Forgets chunks; those that are not there are no failure. */
  remove(chunkIds: readonly number[]): Promise<void>;
  /** The nearest chunks, best first, `count` at most; fewer where there are fewer. */
  nearest(vector: Float32Array, count: number): Promise<NearChunk[]>;
  /** Forgets all of the space; to be called again until it gives true, so that one call is bounded work. */
  clear(): Promise<boolean>;
}

/** Why a store of vectors did not answer: a sentence that may be shown. */
export class VectorIndexError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "VectorIndexError";
  }
}
