import { and, eq, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { chunks, files, vectors } from "../../db/memory-schema.ts";
import { embedCached } from "../embed/embed-cached.ts";
import type { Embedder, EmbedError } from "../embed/embedder.ts";
import { isIn } from "./is-in.ts";
import { openIndex } from "./open-index.ts";
import { filledThrough, type Space } from "./spaces.ts";
import { type VectorIndex, VectorIndexError } from "./vector-index.ts";
import type { VectorRoom } from "./vector-room.ts";

/** How many chunks are embedded before their vectors are stored. */
const PAGE = 256;
/** Most pages of one call: each takes some 16 statements, and D1 takes 1,000 of one invocation. */
const MAX_PAGES = 30;

/** How far a space was filled. */
export interface FilledSpace {
  /** Whether every live chunk has its vector, but for texts that can have none. */
  whole: boolean;
  /** What kept it from going on; absent where only time did. */
  failure?: EmbedError | VectorIndexError;
}

/**
 * Gives the live chunks of an agent their vectors, in the order of their ids, which grow: a chunk becomes live either when it
 * is written, or with the file version that it was written for. So everything up to the first chunk of a version that is
 * being written is known to be done for good, and is not looked at again. At least one page is done. May end anywhere.
 */
export async function fillSpace(
  room: VectorRoom,
  space: Space,
  embedder: Embedder,
  until: number,
): Promise<FilledSpace> {
  try {
    const index = await openIndex(room, space);
    for (let after = space.filledThrough, pages = 1; ; pages++) {
      const page = await pageOf(room.database, space, after);
      const { stored, failure } = await embedPage(room, index, embedder, page.rows, until);
      const isDone = stored === page.rows.length;
      const reached = isDone ? page.end : (page.rows[stored - 1]?.id ?? after);
      await filledThrough(room.database, space.id, Math.min(reached, page.settledThrough));
      if (failure !== undefined) return { whole: false, failure };
      if (isDone && page.rows.length < PAGE) return { whole: true };
      if (!isDone || pages === MAX_PAGES || room.now() >= until) return { whole: false };
      after = reached;
    }
  } catch (error) {
    if (error instanceof VectorIndexError) return { whole: false, failure: error };
    throw error;
  }
}

/** Whether no live chunk waits for its vector. */
export async function isFilled(database: D1Database, space: Space): Promise<boolean> {
  return (await pageOf(database, space, space.filledThrough, 1)).rows.length === 0;
}

interface Page {
  /** Live chunks without a vector, by id. */
  rows: { id: number; hash: string; text: string }[];
  /** How far the page looked. */
  end: number;
  /** No chunk up to here will become live that is not yet. */
  settledThrough: number;
}

/** What is read together is of one moment. */
async function pageOf(database: D1Database, { id, memoryId }: Space, after: number, size = PAGE): Promise<Page> {
  const db = drizzle(database);
  const firstOf = sql`(select min(${chunks.id}) from ${chunks} where ${chunks.fileId} = ${files.id})`;
  const [rows, [building], [newest]] = await db.batch([
    db
      .select({ id: chunks.id, hash: chunks.hash, text: chunks.text })
      // Across the chunks by id: else SQLite begins with the files, and reads all chunks of theirs for each page.
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

/** @returns how many of the first rows are done with: they have a vector, or can have none */
async function embedPage(
  { database, settings, now }: VectorRoom,
  index: VectorIndex,
  embedder: Embedder,
  rows: Page["rows"],
  until: number,
): Promise<{ stored: number; failure?: EmbedError }> {
  const room = { database, settings, now, until: Math.max(until, now() + 1) };
  const { vectors: made, refused, failure } = await embedCached(room, embedder, rows);
  const embedded = rows.flatMap(({ id, hash }) => {
    const vector = made.get(hash);
    return vector === undefined ? [] : [{ chunkId: id, vector }];
  });
  await index.put(embedded);
  await forgetDead(
    database,
    index,
    embedded.map(({ chunkId }) => chunkId),
  );
  const missing = rows.findIndex(({ hash }) => !made.has(hash) && !refused.has(hash));
  return { stored: missing < 0 ? rows.length : missing, ...(failure !== undefined && { failure }) };
}

/** Chunks may have gone while they were embedded, and whoever forgets them may have been there before their vectors were. */
async function forgetDead(database: D1Database, index: VectorIndex, chunkIds: readonly number[]): Promise<void> {
  const live = await drizzle(database)
    .select({ id: chunks.id })
    .from(chunks)
    .innerJoin(files, eq(files.id, chunks.fileId))
    .where(and(isIn(chunks.id, chunkIds), eq(files.state, "live")));
  const isLive = new Set(live.map(({ id }) => id));
  const dead = chunkIds.filter((chunkId) => !isLive.has(chunkId));
  if (dead.length > 0) await index.remove(dead);
}
