import { and, eq, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { chunks, files, vectors } from "../../db/memory-schema.ts";
import { embedCached } from "../embed/embed-cached.ts";
import type { Embedder, EmbedError } from "../embed/embedder.ts";
import { isIn } from "../store/statements.ts";
import { type Space, setFilledThrough } from "./spaces.ts";
import { type VectorIndex, VectorIndexError } from "./vector-index.ts";
import { openIndex, type VectorDeps } from "./vector-store.ts";

/** Chunks that are embedded before their vectors are stored. */
const PAGE = 256;
/** Pages of one call: each takes about 16 statements, and D1 accepts 1,000 in one invocation. */
const MAX_PAGES = 30;

/** The result of filling a space. */
export interface FilledSpace {
  /** Whether every live chunk has its vector, except texts that providers refuse. */
  whole: boolean;
  /** Why it stopped; absent if it is complete or ran out of time. */
  failure?: EmbedError | VectorIndexError;
}

/**
 * Makes the vectors of an agent's live chunks in the order of their ids. A chunk becomes live when it is written or
 * together with the file version it belongs to, so no new work appears below the first chunk of a version that is being
 * built; `filledThrough` records that. Does at least one page. Safe to interrupt.
 */
export async function fillSpace(
  deps: VectorDeps,
  space: Space,
  embedder: Embedder,
  until: number,
): Promise<FilledSpace> {
  try {
    const index = await openIndex(deps, space);
    for (let after = space.filledThrough, pages = 1; ; pages++) {
      const page = await readPage(deps.database, space, after);
      const { stored, failure } = await embedPage(deps, index, embedder, page.rows, until);
      const isDone = stored === page.rows.length;
      const reached = isDone ? page.end : (page.rows[stored - 1]?.id ?? after);
      await setFilledThrough(deps.database, space.id, Math.min(reached, page.settledThrough));
      if (failure !== undefined) return { whole: false, failure };
      if (isDone && page.rows.length < PAGE) return { whole: true };
      if (!isDone || pages === MAX_PAGES || deps.now() >= until) return { whole: false };
      after = reached;
    }
  } catch (error) {
    if (error instanceof VectorIndexError) return { whole: false, failure: error };
    throw error;
  }
}

/** Whether every live chunk has its vector. */
export async function isFilled(database: D1Database, space: Space): Promise<boolean> {
  return (await readPage(database, space, space.filledThrough, 1)).rows.length === 0;
}

interface Page {
  /** Live chunks without a vector, in the order of their ids. */
  rows: { id: number; hash: string; text: string }[];
  /** The last chunk id that the page covers. */
  end: number;
  /** No chunk up to this id can still become live. */
  settledThrough: number;
}

/** Reads everything in one transaction. */
async function readPage(database: D1Database, { id, memoryId }: Space, after: number, size = PAGE): Promise<Page> {
  const db = drizzle(database);
  const firstOf = sql`(select min(${chunks.id}) from ${chunks} where ${chunks.fileId} = ${files.id})`;
  const [rows, [building], [newest]] = await db.batch([
    db
      .select({ id: chunks.id, hash: chunks.hash, text: chunks.text })
      // A cross join keeps SQLite on the chunks in id order; otherwise it starts with the files and reads all their
      // chunks for each page.
      .from(chunks)
      .crossJoin(files)
      .leftJoin(vectors, and(eq(vectors.spaceId, id), eq(vectors.chunkId, chunks.id)))
      .where(
        and(
          sql`${chunks.id} > ${after}`,
          eq(files.id, chunks.fileId),
          eq(files.memoryId, memoryId),
          eq(files.state, "live"),
          isNull(vectors.chunkId),
        ),
      )
      .orderBy(chunks.id)
      .limit(size),
    db
      .select({ first: sql<number | null>`min(${firstOf})` })
      .from(files)
      .where(and(eq(files.memoryId, memoryId), eq(files.state, "building"))),
    db.select({ id: sql<number | null>`max(${chunks.id})` }).from(chunks),
  ]);
  const end = (rows.length < size ? newest?.id : rows.at(-1)?.id) ?? after;
  return { rows, end, settledThrough: (building?.first ?? Number.POSITIVE_INFINITY) - 1 };
}

/** @returns how many of the first rows are done: they have a vector or are refused */
async function embedPage(
  { database, settings, now }: VectorDeps,
  index: VectorIndex,
  embedder: Embedder,
  rows: Page["rows"],
  until: number,
): Promise<{ stored: number; failure?: EmbedError }> {
  const embedDeps = { database, settings, now, until: Math.max(until, now() + 1) };
  const { vectors: made, refused, failure } = await embedCached(embedDeps, embedder, rows);
  const embedded = rows.flatMap(({ id, hash }) => {
    const vector = made.get(hash);
    return vector === undefined ? [] : [{ chunkId: id, vector }];
  });
  await index.put(embedded);
  await removeDead(
    database,
    index,
    embedded.map(({ chunkId }) => chunkId),
  );
  const missing = rows.findIndex(({ hash }) => !made.has(hash) && !refused.has(hash));
  return { stored: missing < 0 ? rows.length : missing, ...(failure !== undefined && { failure }) };
}

/**
 * Removes vectors of chunks that were deleted while they were embedded: `removeVectors` may have run before they were
 * stored.
 */
async function removeDead(database: D1Database, index: VectorIndex, chunkIds: readonly number[]): Promise<void> {
  const live = await drizzle(database)
    .select({ id: chunks.id })
    .from(chunks)
    .innerJoin(files, eq(files.id, chunks.fileId))
    .where(and(isIn(chunks.id, chunkIds), eq(files.state, "live")));
  const isLive = new Set(live.map(({ id }) => id));
  const dead = chunkIds.filter((chunkId) => !isLive.has(chunkId));
  if (dead.length > 0) await index.remove(dead);
}
