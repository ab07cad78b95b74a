import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { vectors } from "../../db/memory-schema.ts";
import { within } from "../../lib/deadline.ts";
import { messageOf } from "../../lib/errors.ts";
import { checkDimensions } from "./check-dimensions.ts";
import { isIn } from "./is-in.ts";
import { slices } from "./slices.ts";
import { type ChunkVector, type NearChunk, type VectorIndex, VectorIndexError } from "./vector-index.ts";
import type { VectorizeBinding } from "./vectorize-binding.ts";

/** Vectorize takes 1,000; so many of 1,536 dimensions are some 6 MB as JSON. */
const UPSERTED_AT_ONCE = 250;
/** Vectorize refuses more, also where its pages say 1,000. */
const DELETED_AT_ONCE = 100;
/** How much one step of `clear` deletes. */
const CLEARED_AT_ONCE = 1000;
/** The most that a query may ask for. */
const MOST_NEAR = 100;

const ASKING_MS = 3000;
const WRITING_MS = 30_000;

/**
 * The vectors of a space in Vectorize, under a namespace of their own. D1 holds a row for each, without its numbers: what was put can be
 * known there and cleared away, where Vectorize lists nothing. Nobody waits until Vectorize shows what it was given.
 */
export class VectorizeIndex implements VectorIndex {
  readonly #binding: VectorizeBinding;
  readonly #database: D1Database;
  readonly #space: { id: number; namespace: string; dimensions: number };

  /** @param space its `namespace` is nobody else's, also not that of a space of a database that was there before: 40 bytes at most */
  constructor(
    binding: VectorizeBinding,
    database: D1Database,
    space: { id: number; namespace: string; dimensions: number },
  ) {
    this.#binding = binding;
    this.#database = database;
    this.#space = space;
  }

  /** First Vectorize, then the rows: what was interrupted between them is put again. */
  async put(given: readonly ChunkVector[]): Promise<void> {
    const { id: spaceId, namespace, dimensions } = this.#space;
    for (const { vector } of given) checkDimensions(vector, dimensions);
    for (const slice of slices(given, UPSERTED_AT_ONCE)) {
      const rows = slice.map(({ chunkId, vector }) => ({
        id: this.#idOf(chunkId),
        namespace,
        values: [...vector],
      }));
      await told(WRITING_MS, () => this.#binding.upsert(rows));
      const chunkIds = JSON.stringify(slice.map(({ chunkId }) => chunkId));
      await told(WRITING_MS, () =>
        drizzle(this.#database)
          .insert(vectors)
          .select(sql`select ${spaceId}, value, null, '' from json_each(${chunkIds}) where true`)
          .onConflictDoNothing(),
      );
    }
  }

  /** First Vectorize, then the rows. Chunks without a row are deleted too: their row may never have been written. */
  async remove(chunkIds: readonly number[]): Promise<void> {
    for (const slice of slices(chunkIds, DELETED_AT_ONCE)) {
      await told(WRITING_MS, () => this.#binding.deleteByIds(slice.map((chunkId) => this.#idOf(chunkId))));
      await told(WRITING_MS, () =>
        drizzle(this.#database)
          .delete(vectors)
          .where(and(eq(vectors.spaceId, this.#space.id), isIn(vectors.chunkId, slice))),
      );
    }
  }

  async nearest(vector: Float32Array, count: number): Promise<NearChunk[]> {
    const { namespace, dimensions } = this.#space;
    checkDimensions(vector, dimensions);
    const topK = Math.min(count, MOST_NEAR);
    const { matches } = await told(ASKING_MS, () =>
      this.#binding.query([...vector], { topK, namespace, returnValues: false, returnMetadata: "none" }),
    );
    return matches.flatMap(({ id, score }) => {
      const chunkId = Number(id.slice(id.lastIndexOf(".") + 1));
      return Number.isSafeInteger(chunkId) ? [{ chunkId, similarity: score }] : [];
    });
  }

  async clear(): Promise<boolean> {
    const rows = await told(WRITING_MS, () =>
      drizzle(this.#database)
        .select({ chunkId: vectors.chunkId })
        .from(vectors)
        .where(eq(vectors.spaceId, this.#space.id))
        .limit(CLEARED_AT_ONCE),
    );
    await this.remove(rows.map(({ chunkId }) => chunkId));
    return rows.length < CLEARED_AT_ONCE;
  }

  /** An id is the only one in all namespaces. */
  #idOf(chunkId: number): string {
    return `${this.#space.namespace}.${chunkId}`;
  }
}

/** How many dimensions the vectors of an index have. @throws VectorIndexError */
export async function vectorizeDimensions(binding: VectorizeBinding): Promise<number> {
  const described = await told(ASKING_MS, () => binding.describe());
  const { dimensions, config } = described as { dimensions?: unknown; config?: { dimensions?: unknown } };
  const found = dimensions ?? config?.dimensions;
  if (typeof found === "number") return found;
  throw new VectorIndexError("Vectorize does not say how many dimensions its vectors have.");
}

/** Says what failed as the contract has it. A binding cannot be called off: who waits for it no longer just goes on. */
async function told<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await within(ms, (signal) => Promise.race([work(), rung(signal)]));
  } catch (error) {
    throw new VectorIndexError(`Vectorize does not answer as it should: ${messageOf(error)}`);
  }
}

function rung(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
