import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { vectors } from "../../db/memory-schema.ts";
import { batches } from "../../lib/batches.ts";
import { within } from "../../lib/deadline.ts";
import { messageOf } from "../../lib/errors.ts";
import { isIn } from "../store/statements.ts";
import {
  type ChunkVector,
  checkDimensions,
  type NearChunk,
  type VectorIndex,
  VectorIndexError,
} from "./vector-index.ts";

/**
 * The part of a Vectorize binding (version 2) that is used. As documented, writes are asynchronous and visible seconds
 * later; limits are 1,000 vectors an upsert, 100 ids a deletion, 100 matches a query without values and metadata, 64
 * bytes an id or a namespace.
 */
export interface VectorizeBinding {
  describe(): Promise<unknown>;
  query(
    vector: number[],
    options: { topK: number; namespace: string; returnValues: false; returnMetadata: "none" },
  ): Promise<{ matches: { id: string; score: number }[] }>;
  upsert(vectors: { id: string; namespace: string; values: number[] }[]): Promise<unknown>;
  deleteByIds(ids: string[]): Promise<unknown>;
}

/** Vectorize accepts 1,000; 250 vectors of 1,536 dimensions are about 6 MB of JSON. */
const UPSERTED_AT_ONCE = 250;
/** Vectorize refuses more, although some of its documentation says 1,000. */
const DELETED_AT_ONCE = 100;
/** Vectors that one call of `clear` deletes. */
const CLEARED_AT_ONCE = 1000;
const MAX_MATCHES = 100;

const QUERY_MS = 3000;
const WRITE_MS = 30_000;

/**
 * The vectors of a space in Vectorize, in a namespace of their own. Vectorize cannot list ids, so D1 has a row for each
 * chunk with a vector. No method waits until Vectorize shows a write.
 */
export class VectorizeIndex implements VectorIndex {
  readonly #binding: VectorizeBinding;
  readonly #database: D1Database;
  readonly #space: { id: number; namespace: string; dimensions: number };

  /** @param space its `namespace` (40 bytes at most) is unique, also across databases that existed earlier */
  constructor(
    binding: VectorizeBinding,
    database: D1Database,
    space: { id: number; namespace: string; dimensions: number },
  ) {
    this.#binding = binding;
    this.#database = database;
    this.#space = space;
  }

  /** Writes to Vectorize before D1, so that an interrupted call is repeated. */
  async put(given: readonly ChunkVector[]): Promise<void> {
    const { id: spaceId, namespace, dimensions } = this.#space;
    for (const { vector } of given) checkDimensions(vector, dimensions);
    for (const some of batches(given, () => 1, { size: UPSERTED_AT_ONCE })) {
      const upserted = some.map(({ chunkId, vector }) => ({
        id: this.#vectorId(chunkId),
        namespace,
        values: [...vector],
      }));
      await withDeadline(WRITE_MS, () => this.#binding.upsert(upserted));
      const chunkIds = JSON.stringify(some.map(({ chunkId }) => chunkId));
      await withDeadline(WRITE_MS, () =>
        drizzle(this.#database)
          .insert(vectors)
          .select(sql`select ${spaceId}, value from json_each(${chunkIds}) where true`)
          .onConflictDoNothing(),
      );
    }
  }

  /** Deletes from Vectorize before D1, also chunks without a row: an interrupted `put` may not have written it. */
  async remove(chunkIds: readonly number[]): Promise<void> {
    for (const some of batches(chunkIds, () => 1, { size: DELETED_AT_ONCE })) {
      await withDeadline(WRITE_MS, () => this.#binding.deleteByIds(some.map((chunkId) => this.#vectorId(chunkId))));
      await withDeadline(WRITE_MS, () =>
        drizzle(this.#database)
          .delete(vectors)
          .where(and(eq(vectors.spaceId, this.#space.id), isIn(vectors.chunkId, some))),
      );
    }
  }

  async nearest(vector: Float32Array, count: number): Promise<NearChunk[]> {
    const { namespace, dimensions } = this.#space;
    checkDimensions(vector, dimensions);
    const topK = Math.min(count, MAX_MATCHES);
    const { matches } = await withDeadline(QUERY_MS, () =>
      this.#binding.query([...vector], { topK, namespace, returnValues: false, returnMetadata: "none" }),
    );
    return matches.flatMap(({ id, score }) => {
      const chunkId = Number(id.slice(id.lastIndexOf(".") + 1));
      return Number.isSafeInteger(chunkId) ? [{ chunkId, similarity: score }] : [];
    });
  }

  async clear(): Promise<boolean> {
    const rows = await withDeadline(WRITE_MS, () =>
      drizzle(this.#database)
        .select({ chunkId: vectors.chunkId })
        .from(vectors)
        .where(eq(vectors.spaceId, this.#space.id))
        .limit(CLEARED_AT_ONCE),
    );
    await this.remove(rows.map(({ chunkId }) => chunkId));
    return rows.length < CLEARED_AT_ONCE;
  }

  /** Ids are unique across namespaces. */
  #vectorId(chunkId: number): string {
    return `${this.#space.namespace}.${chunkId}`;
  }
}

/** The number of dimensions of an index. @throws VectorIndexError */
export async function vectorizeDimensions(binding: VectorizeBinding): Promise<number> {
  const described = await withDeadline(QUERY_MS, () => binding.describe());
  const { dimensions, config } = described as { dimensions?: unknown; config?: { dimensions?: unknown } };
  const found = dimensions ?? config?.dimensions;
  if (typeof found === "number") return found;
  throw new VectorIndexError("Vectorize does not say how many dimensions its vectors have.");
}

/** Calls of a binding cannot be aborted: after the deadline their result is ignored. @throws VectorIndexError */
async function withDeadline<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await within(ms, (signal) => Promise.race([work(), rejectOnAbort(signal)]));
  } catch (error) {
    throw new VectorIndexError(`Vectorize does not answer as it should: ${messageOf(error)}`);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
