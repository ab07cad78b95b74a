import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { packs, vectors } from "../../db/memory-schema.ts";
import { batches } from "../../lib/batches.ts";
import { messageOf } from "../../lib/errors.ts";
import { joinBytes } from "../../lib/join-bytes.ts";
import { cosineWith, QuantizedVectors, quantize, quantizedBytes } from "../embed/quantize.ts";
import { guard, isIn, runAll, unlessGuardFails } from "../store/statements.ts";
import {
  type ChunkVector,
  checkDimensions,
  type NearChunk,
  type VectorIndex,
  VectorIndexError,
} from "./vector-index.ts";

/** Size of a pack's vectors. In base64 a row has to stay below D1's limit of 2 MB. */
const MAX_PACK_BYTES = 750_000;
const MAX_PACK_VECTORS = 512;
/** Bytes of packs that one statement returns during a search. */
const READ_BYTES = 3_000_000;
/** Packs that one transaction of a removal rewrites. */
const REWRITTEN_PACKS = 4;
const REMOVED_AT_ONCE = 500;
/** Rows that one call of `clear` deletes. */
const CLEARED_VECTORS = 5000;
const CLEARED_PACKS = 50;
/** Attempts to write while other writers change the same packs. */
const MAX_ATTEMPTS = 30;

/**
 * The vectors of a space in D1, many in one row, compared exactly by a search. The table `vectors` lists the chunks
 * that have one. Each write is one transaction that fails and is repeated if another writer changed a pack of the space
 * in between.
 */
export class D1VectorIndex implements VectorIndex {
  readonly #database: D1Database;
  readonly #spaceId: number;
  readonly #dimensions: number;

  constructor(database: D1Database, { id, dimensions }: { id: number; dimensions: number }) {
    this.#database = database;
    this.#spaceId = id;
    this.#dimensions = dimensions;
  }

  put(given: readonly ChunkVector[]): Promise<void> {
    return withVectorIndexError(async () => {
      for (const { vector } of given) checkDimensions(vector, this.#dimensions);
      const added = given.map(({ chunkId, vector }) => ({ chunkId, bytes: quantize(vector) }));
      // Half a pack at most, so that one transaction adds one new pack at most.
      for (const some of batches(added, () => 1, { size: packSize(this.#dimensions) >> 1 })) {
        await this.#untilWritten(() => this.#add(some));
      }
    });
  }

  remove(chunkIds: readonly number[]): Promise<void> {
    return withVectorIndexError(async () => {
      for (const some of batches(chunkIds, () => 1, { size: REMOVED_AT_ONCE })) {
        await this.#untilWritten(() => this.#remove(some));
      }
    });
  }

  nearest(query: Float32Array, count: number): Promise<NearChunk[]> {
    return withVectorIndexError(async () => {
      checkDimensions(query, this.#dimensions);
      const cosine = cosineWith(query);
      const found = new NearestList(count);
      for await (const { ids, vectors } of this.#scan()) {
        const quantized = new QuantizedVectors(Uint8Array.fromBase64(vectors));
        for (const [at, chunkId] of decodeIds(ids).entries()) found.offer(chunkId, cosine(quantized, at));
      }
      return found.all;
    });
  }

  clear(): Promise<boolean> {
    return withVectorIndexError(async () => {
      const db = drizzle(this.#database);
      const isIts = eq(vectors.spaceId, this.#spaceId);
      const someVectors = db.select({ id: vectors.chunkId }).from(vectors).where(isIts).limit(CLEARED_VECTORS);
      const somePacks = db
        .select({ id: packs.id })
        .from(packs)
        .where(eq(packs.spaceId, this.#spaceId))
        .limit(CLEARED_PACKS);
      const [clearedVectors, clearedPacks] = await db.batch([
        db.delete(vectors).where(and(isIts, inArray(vectors.chunkId, someVectors))),
        db.delete(packs).where(inArray(packs.id, somePacks)),
      ]);
      return clearedVectors.meta.changes < CLEARED_VECTORS && clearedPacks.meta.changes < CLEARED_PACKS;
    });
  }

  /** Reads all packs, a few in each round trip. */
  async *#scan(): AsyncGenerator<Pick<Pack, "id" | "ids" | "vectors">> {
    const size = Math.max(1, Math.floor(READ_BYTES / (packSize(this.#dimensions) * entryBytes(this.#dimensions))));
    const columns = { id: packs.id, ids: packs.ids, vectors: packs.vectors };
    for (let after = 0; ; ) {
      const rows = await drizzle(this.#database)
        .select(columns)
        .from(packs)
        .where(and(eq(packs.spaceId, this.#spaceId), gt(packs.id, after)))
        .orderBy(asc(packs.id))
        .limit(size);
      yield* rows;
      if (rows.length < size) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /** @param write returns false if the packs changed since they were read */
  async #untilWritten(write: () => Promise<boolean>): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) if (await write()) return;
    throw new VectorIndexError("Others write vectors of the same memory to D1 all the time.");
  }

  /** Adds vectors to the emptiest pack and puts what does not fit into a new one. */
  async #add(added: readonly VectorEntry[]): Promise<boolean> {
    const listed = await this.#list();
    const replaced = new Set(added.map(({ chunkId }) => chunkId));
    const [emptiest] = listed.toSorted((a, b) => a.count - b.count);
    const size = packSize(this.#dimensions);
    const open = emptiest !== undefined && emptiest.count < size ? emptiest : undefined;
    const changed = listed.filter((pack) => pack === open || hasSome(pack, replaced));
    const contents = await this.#contents(changed, replaced);
    if (contents === undefined) return false;
    const room = open === undefined ? 0 : size - (contents.get(open.id)?.length ?? 0);
    if (open !== undefined) contents.get(open.id)?.push(...added.slice(0, room));
    const chunkIds = JSON.stringify([...replaced]);
    return this.#write(listed, contents, [
      ...(added.length > room ? [this.#insertPack(added.slice(room))] : []),
      sql`INSERT INTO vectors (space_id, chunk_id) SELECT ${this.#spaceId}, value FROM json_each(${chunkIds}) WHERE true
        ON CONFLICT DO NOTHING`,
    ]);
  }

  /** @returns false if the packs changed since they were read, or if there is more to do */
  async #remove(chunkIds: readonly number[]): Promise<boolean> {
    const listed = await this.#list();
    const removed = new Set(chunkIds);
    const all = listed.filter((pack) => hasSome(pack, removed));
    const changed = all.slice(0, REWRITTEN_PACKS);
    const contents = await this.#contents(changed, removed);
    if (contents === undefined) return false;
    const isLast = changed.length === all.length;
    const gone = isLast ? chunkIds : changed.flatMap(({ chunkIds }) => chunkIds.filter((id) => removed.has(id)));
    const isIts = and(eq(vectors.spaceId, this.#spaceId), isIn(vectors.chunkId, gone));
    return (await this.#write(listed, contents, [sql`DELETE FROM vectors WHERE ${isIts}`])) && isLast;
  }

  /** All packs without their vectors. */
  async #list(): Promise<ListedPack[]> {
    const rows = await drizzle(this.#database)
      .select({ id: packs.id, revision: packs.revision, count: packs.count, ids: packs.ids })
      .from(packs)
      .where(eq(packs.spaceId, this.#spaceId));
    return rows.map(({ ids, ...pack }) => ({ ...pack, chunkIds: [...decodeIds(ids)] }));
  }

  /** The entries of packs, by the pack's id, without some chunks; undefined if a pack is no longer there. */
  async #contents(
    listed: readonly ListedPack[],
    without: ReadonlySet<number>,
  ): Promise<Map<number, VectorEntry[]> | undefined> {
    if (listed.length === 0) return new Map();
    const ids = listed.map(({ id }) => id);
    const rows = await drizzle(this.#database).select().from(packs).where(isIn(packs.id, ids));
    if (rows.length < listed.length) return undefined;
    return new Map(rows.map((row) => [row.id, decodeEntries(row).filter(({ chunkId }) => !without.has(chunkId))]));
  }

  /** Writes packs in one transaction. @returns false if a pack of the space is not as it was listed */
  #write(listed: readonly ListedPack[], contents: ReadonlyMap<number, readonly VectorEntry[]>, others: readonly SQL[]) {
    const revisions = listed.reduce((sum, { revision }) => sum + revision, 0);
    const newest = Math.max(0, ...listed.map(({ id }) => id));
    const isAsListed = sql`(SELECT count(*) = ${listed.length} AND coalesce(sum(revision), 0) = ${revisions}
      AND coalesce(max(id), 0) = ${newest} FROM packs WHERE space_id = ${this.#spaceId})`;
    const changes = Array.from(contents, ([id, entries]) => {
      if (entries.length === 0) return sql`DELETE FROM packs WHERE id = ${id}`;
      const { count, ids, vectors } = encodeEntries(entries);
      return sql`UPDATE packs SET revision = revision + 1, count = ${count}, ids = ${ids}, vectors = ${vectors}
        WHERE id = ${id}`;
    });
    return unlessGuardFails(runAll(this.#database, [guard(isAsListed), ...changes, ...others]));
  }

  #insertPack(entries: readonly VectorEntry[]): SQL {
    const { count, ids, vectors } = encodeEntries(entries);
    return sql`INSERT INTO packs (space_id, revision, count, ids, vectors)
      VALUES (${this.#spaceId}, 1, ${count}, ${ids}, ${vectors})`;
  }
}

type Pack = typeof packs.$inferSelect;

interface ListedPack {
  id: number;
  revision: number;
  count: number;
  chunkIds: number[];
}

/** A chunk and its quantized vector. */
interface VectorEntry {
  chunkId: number;
  bytes: Uint8Array;
}

function entryBytes(dimensions: number): number {
  return Uint32Array.BYTES_PER_ELEMENT + quantizedBytes(dimensions);
}

/** Most vectors of a pack. */
function packSize(dimensions: number): number {
  return Math.min(MAX_PACK_VECTORS, Math.floor(MAX_PACK_BYTES / entryBytes(dimensions)));
}

function hasSome({ chunkIds }: ListedPack, wanted: ReadonlySet<number>): boolean {
  return chunkIds.some((id) => wanted.has(id));
}

function encodeEntries(entries: readonly VectorEntry[]): Pick<Pack, "count" | "ids" | "vectors"> {
  const ids = Uint32Array.from(entries, ({ chunkId }) => chunkId);
  return {
    count: entries.length,
    ids: new Uint8Array(ids.buffer).toBase64(),
    vectors: joinBytes(entries.map(({ bytes }) => bytes)).toBase64(),
  };
}

function decodeEntries({ ids, vectors }: Pick<Pack, "ids" | "vectors">): VectorEntry[] {
  const chunkIds = decodeIds(ids);
  const bytes = Uint8Array.fromBase64(vectors);
  const length = bytes.length / chunkIds.length;
  return Array.from(chunkIds, (chunkId, at) => ({ chunkId, bytes: bytes.subarray(at * length, (at + 1) * length) }));
}

function decodeIds(ids: string): Uint32Array {
  return new Uint32Array(Uint8Array.fromBase64(ids).buffer);
}

/** The best `count` of the chunks that are offered, best first. */
class NearestList {
  readonly #count: number;
  readonly #best: NearChunk[] = [];
  #floor = -Infinity;

  constructor(count: number) {
    this.#count = count;
  }

  offer(chunkId: number, similarity: number): void {
    if (!(similarity > this.#floor)) return;
    this.#best.splice(this.#rankOf(similarity), 0, { chunkId, similarity });
    if (this.#best.length > this.#count) this.#best.pop();
    if (this.#best.length === this.#count) this.#floor = this.#best.at(-1)?.similarity ?? -Infinity;
  }

  get all(): NearChunk[] {
    return this.#best;
  }

  #rankOf(similarity: number): number {
    let low = 0;
    let high = this.#best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#best[middle]?.similarity ?? -Infinity) >= similarity) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

async function withVectorIndexError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VectorIndexError) throw error;
    throw new VectorIndexError(`The vectors in D1 cannot be reached: ${messageOf(error)}`);
  }
}
