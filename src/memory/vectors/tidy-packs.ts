import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { packs, vectors } from "../../db/memory-schema.ts";
import { messageOf } from "../../lib/errors.ts";
import { isIn } from "./is-in.ts";
import type { ListedPack, PackShelf } from "./pack-reader.ts";
import { idsOf, type Packable, pack, packSize, unpack } from "./packs.ts";

/** As many loose vectors as a search may read one by one. */
const LOOSE = 64;

/** The packs of a space, and of each what is gone. */
export function listedPacks(database: D1Database, spaceId: number) {
  return drizzle(database)
    .select({ id: packs.id, count: packs.count, gone: packs.gone })
    .from(packs)
    .where(eq(packs.spaceId, spaceId))
    .orderBy(packs.id);
}

/** A row of `listedPacks`. */
export function listedPack({ id, count, gone }: { id: number; count: number; gone: string }): ListedPack {
  return { id, count, gone: new Set(JSON.parse(gone) as number[]) };
}

/**
 * Puts loose vectors into packs, small packs into larger ones, and takes worn ones apart. Each step is one transaction that
 * leaves every vector either loose or in one pack, so that it may end anywhere, and two may do it at once.
 */
export async function tidyPacks(shelf: PackShelf, spaceId: number): Promise<void> {
  const { database } = shelf;
  for (const row of await listedPacks(database, spaceId)) {
    const one = listedPack(row);
    if (one.gone.size * 2 > one.count) await takeApart(database, spaceId, one);
  }
  while (await seal(shelf, spaceId)) {
    // As long as there is enough for another pack.
  }
}

/** Makes what is left of a pack loose. */
async function takeApart(database: D1Database, spaceId: number, { id, gone }: ListedPack): Promise<void> {
  const db = drizzle(database);
  const [row] = await db.select({ ids: packs.ids }).from(packs).where(eq(packs.id, id));
  if (row === undefined) return;
  const left = [...idsOf(row.ids)].filter((chunkId) => !gone.has(chunkId));
  await db.batch([
    db
      .update(vectors)
      .set({ packId: null })
      .where(and(eq(vectors.spaceId, spaceId), isIn(vectors.chunkId, left), eq(vectors.packId, id))),
    db.delete(packs).where(eq(packs.id, id)),
  ]);
}

/** Makes one pack of what is loose, and of packs that are no larger than that. @returns whether there may be more to do */
async function seal({ database, dimensions }: PackShelf, spaceId: number): Promise<boolean> {
  const db = drizzle(database);
  const size = packSize(dimensions);
  const [rows, listed] = await db.batch([
    db
      .select({ chunkId: vectors.chunkId, embedding: vectors.embedding })
      .from(vectors)
      .where(isLoose(spaceId))
      .orderBy(vectors.chunkId)
      .limit(size),
    listedPacks(database, spaceId),
  ]);
  if (rows.length < LOOSE) return false;
  const loose = rows.map(({ chunkId, embedding }) => ({ chunkId, bytes: Uint8Array.fromBase64(embedding) }));
  const merged = mergeable(listed.map(listedPack), loose.length, size);
  const all = [...loose, ...(await contentsOf(database, merged))];
  return replace(
    database,
    spaceId,
    all,
    merged.map(({ id }) => id),
  );
}

/** Vectors that no pack holds yet. */
export function isLoose(spaceId: number) {
  return and(eq(vectors.spaceId, spaceId), isNull(vectors.packId), ne(vectors.embedding, sql.raw("''")));
}

/** Packs that go into one with so many others: the smallest first, each no larger than what it is put with. */
function mergeable(listed: readonly ListedPack[], loose: number, size: number): ListedPack[] {
  const left = (one: ListedPack) => one.count - one.gone.size;
  const merged: ListedPack[] = [];
  let total = loose;
  for (const one of listed.toSorted((a, b) => left(a) - left(b))) {
    if (left(one) > total || total + left(one) > size) break;
    merged.push(one);
    total += left(one);
  }
  return merged;
}

async function contentsOf(database: D1Database, merged: readonly ListedPack[]): Promise<Packable[]> {
  if (merged.length === 0) return [];
  const goneOf = new Map(merged.map(({ id, gone }) => [id, gone]));
  const rows = await drizzle(database)
    .select({ id: packs.id, ids: packs.ids, vectors: packs.vectors })
    .from(packs)
    .where(isIn(packs.id, [...goneOf.keys()]));
  return rows.flatMap((row) => unpack(row).filter(({ chunkId }) => !goneOf.get(row.id)?.has(chunkId)));
}

/**
 * Writes a pack in place of others. It fails whole where a vector of it was removed or packed by somebody else meanwhile:
 * then its `count` is null, which the table does not take.
 */
async function replace(
  database: D1Database,
  spaceId: number,
  all: readonly Packable[],
  merged: readonly number[],
): Promise<boolean> {
  const db = drizzle(database);
  const sorted = all.toSorted((a, b) => a.chunkId - b.chunkId);
  const chunkIds = sorted.map(({ chunkId }) => chunkId);
  const { ids, codes, vectors: content } = pack(sorted);
  const isOurs = and(eq(vectors.spaceId, spaceId), isIn(vectors.chunkId, chunkIds));
  const isAsRead = sql`(${vectors.packId} is null or ${isIn(vectors.packId, merged)})`;
  const asRead = sql`(select count(*) from ${vectors} where ${and(isOurs, isAsRead)})`;
  const count = sql<number>`case when ${asRead} = ${chunkIds.length} then ${chunkIds.length} end`;
  const newest = sql`(select max(${packs.id}) from ${packs} where ${packs.spaceId} = ${spaceId})`;
  try {
    await db.batch([
      db.insert(packs).values({ spaceId, count, ids, codes, vectors: content }),
      db.update(vectors).set({ packId: newest }).where(isOurs),
      db.delete(packs).where(isIn(packs.id, merged)),
    ]);
    return true;
  } catch (error) {
    if (/NOT NULL constraint failed: packs\.count/.test(messageOf(error))) return false;
    throw error;
  }
}
