import { and, eq, lt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { embeddingCache } from "../../db/memory-schema.ts";
import { decodeVector, encodeVector } from "../vectors/quantize.ts";
import type { Embedder } from "./embedder.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Most embeddings that are kept where nothing else is configured: about 100 MB. */
const MAX_ENTRIES = 50_000;

/** Rows of one statement: those of 4,096 dimensions stay below what D1 takes as one value. */
const ROWS_AT_ONCE = 256;

/** After so many new ones it is counted how many there are, because counting reads them all. */
const COUNT_EVERY = 500;

/** Most that are cleared away at once. */
const PRUNED_AT_ONCE = 2000;

const { space, hash, usedAt } = embeddingCache;

/** The embeddings that are known of texts, by their hash. That they were used is noted once a day. */
export async function cachedEmbeddings(
  database: D1Database,
  embedder: Embedder,
  hashes: readonly string[],
  now: number,
): Promise<Map<string, Float32Array>> {
  const db = drizzle(database);
  const found = new Map<string, Float32Array>();
  for (const some of slices(hashes, ROWS_AT_ONCE)) {
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

/** Keeps embeddings by the hash of their text, and clears away those that were not used for longest. */
export async function keepEmbeddings(
  database: D1Database,
  embedder: Embedder,
  vectors: ReadonlyMap<string, Float32Array>,
  { now, maxEntries = MAX_ENTRIES }: { now: number; maxEntries?: number | undefined },
): Promise<void> {
  const db = drizzle(database);
  const before = await lastRow(database);
  for (const some of slices([...vectors], ROWS_AT_ONCE)) {
    const rows = JSON.stringify(some.map(([hash, vector]) => [hash, encodeVector(vector)]));
    await db.run(sql`
      insert into embedding_cache (space, hash, embedding, used_at)
      select ${embedder.space}, value ->> 0, value ->> 1, ${now} from json_each(${rows}) where true
      on conflict do update set embedding = excluded.embedding, used_at = excluded.used_at`);
  }
  const step = Math.min(COUNT_EVERY, maxEntries);
  if (Math.floor(before / step) < Math.floor((await lastRow(database)) / step)) await prune(database, maxEntries);
}

/** Each new row has a number above all others. */
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

function slices<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
