import { and, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { packs, vectors } from "../../db/memory-schema.ts";
import { messageOf } from "../../lib/errors.ts";
import { checkDimensions } from "./check-dimensions.ts";
import { isIn } from "./is-in.ts";
import { NearestList } from "./nearest-list.ts";
import { eachCodePack, eachVectorPack, type ListedPack, type PackShelf, PacksMoved } from "./pack-reader.ts";
import { packSize, type VectorPack } from "./packs.ts";
import { type Cosine, cosineWith, encodeVector, QuantizedVectors } from "./quantize.ts";
import { CodeScorer } from "./sign-codes.ts";
import { slices } from "./slices.ts";
import { isLoose, listedPack, listedPacks, tidyPacks } from "./tidy-packs.ts";
import { type ChunkVector, type NearChunk, type VectorIndex, VectorIndexError } from "./vector-index.ts";

/** Up to so many vectors all are compared; of more, those whose signs are the query's. */
const EXACT_UP_TO = 10_000;
/** How many of those are compared, for each one that is wanted, and at least and at most: D1 bills three rows for each. */
const CANDIDATES_EACH = 12;
const LEAST_CANDIDATES = 240;
const MOST_CANDIDATES = 1000;
/** More vectors than are ever loose: a guard. */
const MAX_LOOSE = 2000;
/** How much one step of `clear` deletes. */
const CLEARED_VECTORS = 5000;
const CLEARED_PACKS = 50;
const REMOVED_AT_ONCE = 500;
/** How often a search begins anew because packs were put together meanwhile. */
const ATTEMPTS = 3;

/**
 * The vectors of a space in D1: a row each, and packs of them for searching. What was put is found at once. A search reads a row a
 * pack, those vectors that are in none yet, and in a large space the few hundred rows that it compares.
 */
export class D1VectorIndex implements VectorIndex {
  readonly #shelf: PackShelf;
  readonly #spaceId: number;

  constructor(shelf: PackShelf, spaceId: number) {
    this.#shelf = shelf;
    this.#spaceId = spaceId;
  }

  put(given: readonly ChunkVector[]): Promise<void> {
    return told(async () => {
      for (const { vector } of given) checkDimensions(vector, this.#shelf.dimensions);
      // Half a pack, so that what one statement brings stays well below the 2 MB that a value may have.
      for (const slice of slices(given, packSize(this.#shelf.dimensions) >> 1)) {
        await this.#store(slice);
        await tidyPacks(this.#shelf, this.#spaceId);
      }
    });
  }

  remove(chunkIds: readonly number[]): Promise<void> {
    return told(async () => {
      const db = drizzle(this.#shelf.database);
      for (const slice of slices(chunkIds, REMOVED_AT_ONCE)) {
        await db.batch([
          this.#markGone(slice),
          db.delete(vectors).where(and(eq(vectors.spaceId, this.#spaceId), isIn(vectors.chunkId, slice))),
        ]);
      }
      if (chunkIds.length > 0) await tidyPacks(this.#shelf, this.#spaceId);
    });
  }

  nearest(vector: Float32Array, count: number): Promise<NearChunk[]> {
    return told(async () => {
      checkDimensions(vector, this.#shelf.dimensions);
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#search(vector, count);
        } catch (error) {
          if (!(error instanceof PacksMoved) || attempt === ATTEMPTS) throw error;
        }
      }
    });
  }

  clear(): Promise<boolean> {
    return told(async () => {
      const db = drizzle(this.#shelf.database);
      const spaceId = this.#spaceId;
      const someVectors = db
        .select({ id: vectors.chunkId })
        .from(vectors)
        .where(eq(vectors.spaceId, spaceId))
        .limit(CLEARED_VECTORS);
      const somePacks = db.select({ id: packs.id }).from(packs).where(eq(packs.spaceId, spaceId)).limit(CLEARED_PACKS);
      const [ofVectors, ofPacks] = await db.batch([
        db.delete(vectors).where(and(eq(vectors.spaceId, spaceId), inArray(vectors.chunkId, someVectors))),
        db.delete(packs).where(inArray(packs.id, somePacks)),
      ]);
      return ofVectors.meta.changes < CLEARED_VECTORS && ofPacks.meta.changes < CLEARED_PACKS;
    });
  }

  async #store(slice: readonly ChunkVector[]): Promise<void> {
    const db = drizzle(this.#shelf.database);
    const rows = JSON.stringify(slice.map(({ chunkId, vector }) => [chunkId, encodeVector(vector)]));
    await db.batch([
      this.#markGone(slice.map(({ chunkId }) => chunkId)),
      db
        .insert(vectors)
        // `where true` tells SQLite's parser that what follows is no condition of a join.
        .select(sql`select ${this.#spaceId}, value ->> 0, null, value ->> 1 from json_each(${rows}) where true`)
        .onConflictDoUpdate({
          target: [vectors.spaceId, vectors.chunkId],
          set: { packId: null, embedding: sql`excluded.embedding` },
        }),
    ]);
  }

  /** Notes in their packs that the vectors of these chunks are no more. */
  #markGone(chunkIds: readonly number[]) {
    const packed = and(eq(vectors.spaceId, this.#spaceId), isIn(vectors.chunkId, chunkIds));
    const gone = sql<string>`(select json_group_array(id) from (
      select value as id from json_each(${packs.gone}) union
      select ${vectors.chunkId} from ${vectors} where ${packed} and ${vectors.packId} = ${packs.id}))`;
    return drizzle(this.#shelf.database)
      .update(packs)
      .set({ gone })
      .where(sql`${packs.id} in (select ${vectors.packId} from ${vectors} where ${packed})`);
  }

  async #search(query: Float32Array, count: number): Promise<NearChunk[]> {
    const { packed, loose } = await this.#list();
    const found = new NearestList(count);
    const total = packed.reduce((sum, one) => sum + one.count - one.gone.size, loose.length);
    const cosine = cosineWith(query);
    if (total > EXACT_UP_TO) compare(cosine, await this.#candidates(query, packed, count), found);
    else await eachVectorPack(this.#shelf, packed, (pack, gone) => comparePack(cosine, pack, gone, found));
    compare(cosine, loose, found);
    return [...found.all];
  }

  async #list(): Promise<{ packed: ListedPack[]; loose: StoredVector[] }> {
    const db = drizzle(this.#shelf.database);
    const [packed, loose] = await db.batch([
      listedPacks(this.#shelf.database, this.#spaceId),
      db.select(STORED).from(vectors).where(isLoose(this.#spaceId)).limit(MAX_LOOSE),
    ]);
    return { packed: packed.map(listedPack), loose };
  }

  /** The vectors whose signs are most like the query's. */
  async #candidates(query: Float32Array, packed: readonly ListedPack[], count: number): Promise<StoredVector[]> {
    const scorer = new CodeScorer(query);
    const wanted = Math.min(Math.max(count * CANDIDATES_EACH, LEAST_CANDIDATES), MOST_CANDIDATES);
    const alike = new NearestList(wanted);
    await eachCodePack(this.#shelf, packed, ({ ids, codes }, gone) => {
      for (const [at, chunkId] of ids.entries()) {
        const score = scorer.score(codes, at);
        if (score > alike.floor && !gone.has(chunkId)) alike.offer(chunkId, score);
      }
    });
    const chunkIds = alike.all.map(({ chunkId }) => chunkId);
    return drizzle(this.#shelf.database)
      .select(STORED)
      .from(vectors)
      .where(and(eq(vectors.spaceId, this.#spaceId), isIn(vectors.chunkId, chunkIds)));
  }
}

const STORED = { chunkId: vectors.chunkId, embedding: vectors.embedding };

interface StoredVector {
  chunkId: number;
  embedding: string;
}

function compare(cosine: Cosine, stored: readonly StoredVector[], found: NearestList): void {
  for (const { chunkId, embedding } of stored) {
    found.offer(chunkId, cosine(new QuantizedVectors(Uint8Array.fromBase64(embedding)), 0));
  }
}

function comparePack(
  cosine: Cosine,
  { ids, vectors }: VectorPack,
  gone: ReadonlySet<number>,
  found: NearestList,
): void {
  for (const [at, chunkId] of ids.entries()) {
    const similarity = cosine(vectors, at);
    if (similarity > found.floor && !gone.has(chunkId)) found.offer(chunkId, similarity);
  }
}

/** Says what failed as the contract has it. */
async function told<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VectorIndexError) throw error;
    throw new VectorIndexError(`The vectors in D1 cannot be reached: ${messageOf(error)}`);
  }
}
