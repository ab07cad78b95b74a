import { and, eq, lt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { embeddingCache } from "../../db/memory-schema.ts";
import { batches } from "../../lib/batches.ts";
import type { Embedder } from "./embedder.ts";
import { decodeVector, encodeVector } from "./quantize.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Default limit of entries: about 100 MB. */
const MAX_ENTRIES = 50_000;

/** Rows of one statement: with 4,096 dimensions they stay below D1's limit for a value. */
const ROWS_AT_ONCE = 256;

/** Entries are counted after this many new ones, because counting reads all rows. */
const COUNT_EVERY = 500;

/** Entries deleted at once. */
const PRUNED_AT_ONCE = 2000;

const { space, hash, usedAt } = embeddingCache;

/** Reads cached embeddings by the hash of their text. Their last use is recorded once a day. */
export async function readEmbeddings(
  database: D1Database,
  embedder: Embedder,
  hashes: readonly string[],
  now: number,
): Promise<Map<string, Float32Array>> {
  const db = drizzle(database);
  const found = new Map<string, Float32Array>();
  for (const some of batches(hashes, () => 1, { size: ROWS_AT_ONCE })) {
    const these = and(
      sql`${hash} in (select value from json_each(${JSON.stringify(some)}))`,
      eq(space, embedder.space),
    );
    const rows = await db.select().from(embeddingCache).where(these);
    for (const row of rows) {
      const vector = decodeVector(row.embedding);
      if (vector.length === embedder.dimensions) found.set(row.hash, vector);
    }
    if (rows.some((row) => row.usedAt < now - DAY_MS)) {
      await db
        .update(embeddingCache)
        .set({ usedAt: now })
        .where(and(these, lt(usedAt, now - DAY_MS)));
    }
  }
  return found;
}

/** Caches embeddings by the hash of their text and deletes the least recently used ones above the limit. */
export async function storeEmbeddings(
  database: D1Database,
  embedder: Embedder,
  vectors: ReadonlyMap<string, Float32Array>,
  { now, maxEntries = MAX_ENTRIES }: { now: number; maxEntries?: number | undefined },
): Promise<void> {
  const db = drizzle(database);
  const before = await lastRow(database);
  for (const some of batches(vectors, () => 1, { size: ROWS_AT_ONCE })) {
    const rows = JSON.stringify(some.map(([hash, vector]) => [hash, encodeVector(vector)]));
    await db.run(sql`
      insert into embedding_cache (space, hash, embedding, used_at)
      select ${embedder.space}, value ->> 0, value ->> 1, ${now} from json_each(${rows}) where true
      on conflict do update set embedding = excluded.embedding, used_at = excluded.used_at`);
  }
  const step = Math.min(COUNT_EVERY, maxEntries);
  if (Math.floor(before / step) < Math.floor((await lastRow(database)) / step)) await prune(database, maxEntries);
}

/** Each new row has a rowid above all others. */
async function lastRow(database: D1Database): Promise<number> {
  const [row] = await drizzle(database).select({ last: sql<number | null>`max(rowid)` }).from(embeddingCache);
  return row?.last ?? 0;
}

async function prune(database: D1Database, maxEntries: number): Promise<void> {
  await drizzle(database).run(sql`
    delete from embedding_cache where rowid in (
      select rowid from embedding_cache order by used_at
      limit max(0, min(${PRUNED_AT_ONCE}, (select count(*) from embedding_cache) - ${maxEntries})))`);
}
