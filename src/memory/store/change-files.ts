import { type SQL, sql } from "drizzle-orm";
import type { Document } from "../sync/document-store.ts";
import { guard, unlessOvertaken } from "./guard.ts";
import { insertChunks } from "./insert-chunks.ts";
import type { Change, LiveFile, MemoryIndex, NewChunk } from "./memory-index.ts";
import { runAll } from "./run-all.ts";

/** How a file differs from what is stored of it. */
export interface FileChange {
  document: Document;
  /** What is stored of it, as it was seen; undefined where nothing is. */
  live: LiveFile | undefined;
  added: readonly NewChunk[];
  /** The ids of chunks that it has no more. */
  removed: readonly number[];
  warning: string | undefined;
  /** The change that was there before it was read. If that is settled meanwhile, somebody has read it after us. */
  token: string | undefined;
}

/**
 * Stores changes of files, all or none, in one transaction.
 * @returns false where one of the files is not as it was seen any more: nothing is changed
 */
export async function changeFiles(index: MemoryIndex, changes: readonly FileChange[], now: number): Promise<boolean> {
  const { memoryId, agentId, generation } = index;
  const removed = changes.flatMap(({ removed }) => removed);
  const added = changes.map(({ document: { path }, added }) => ({ path, chunks: added }));
  const more = sum(added.map(({ chunks }) => chunks.length)) - removed.length;
  const rows = JSON.stringify(
    changes.map(({ document, live, added, removed, warning = null, token = null }) => {
      const chunks = (live?.chunks ?? 0) + added.length - removed.length;
      return { ...document, id: live?.id ?? null, revision: live?.revision ?? null, chunks, warning, token };
    }),
  );
  const isLive = sql`f.memory_id = ${memoryId} AND f.state = 'live'`;
  return unlessOvertaken(
    runAll(index.database, [
      // An index that was dropped meanwhile gets no files any more: nobody would find them, nor clear them away.
      guard(sql`EXISTS (SELECT 1 FROM meta WHERE id = ${memoryId}) AND NOT EXISTS (SELECT 1 FROM json_each(${rows}) e
        LEFT JOIN files f ON ${isLive} AND f.path = e.value ->> 'path'
        WHERE f.id IS NOT e.value ->> 'id' OR f.revision IS NOT e.value ->> 'revision' OR (e.value ->> 'token' IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.agent_id = ${agentId} AND c.path = e.value ->> 'path')))`),
      sql`INSERT INTO files (memory_id, path, source, etag, size, modified_at, state, chunks, generation, warning, indexed_at)
        SELECT ${memoryId}, e.value ->> 'path', e.value ->> 'source', e.value ->> 'etag', e.value ->> 'size',
          e.value ->> 'modifiedAt', 'live', e.value ->> 'chunks', ${generation}, e.value ->> 'warning', ${now}
        FROM json_each(${rows}) e WHERE true
        ON CONFLICT (memory_id, path) WHERE state = 'live' DO UPDATE SET source = excluded.source, etag = excluded.etag,
          size = excluded.size, modified_at = excluded.modified_at, chunks = excluded.chunks, warning = excluded.warning,
          generation = excluded.generation, indexed_at = excluded.indexed_at, revision = revision + 1`,
      ...(removed.length === 0 ? [] : removeChunks(index, removed)),
      ...insertChunks(index, added, isLive),
      countMore(index, changes.filter(({ live }) => live === undefined).length, more),
      ...settle(
        agentId,
        changes.flatMap(({ document: { path }, token }) => (token === undefined ? [] : [{ path, token }])),
      ),
    ]),
  );
}

/**
 * Takes files out of the index; their chunks are cleared away later.
 * @returns the ids of those that are out; the others are not as they were seen any more
 */
export async function removeFiles(index: MemoryIndex, removed: readonly LiveFile[]): Promise<number[]> {
  if (removed.length === 0) return [];
  const rows = JSON.stringify(removed.map(({ id, revision }) => ({ id, revision })));
  const meant = sql`state = 'live' AND (id, revision) IN (SELECT value ->> 'id', value ->> 'revision' FROM json_each(${rows}))`;
  const [, out] = await runAll(index.database, [
    sql`UPDATE meta SET files = files - (SELECT count(*) FROM files WHERE ${meant}),
      chunks = chunks - (SELECT coalesce(sum(chunks), 0) FROM files WHERE ${meant}) WHERE id = ${index.memoryId}`,
    sql`UPDATE files SET state = 'dead' WHERE ${meant} RETURNING id`,
  ]);
  return out?.results.map(({ id }) => Number(id)) ?? [];
}

/** Deletes chunks with their terms, and keeps in mind that their vectors are to be forgotten. */
function removeChunks({ memoryId }: MemoryIndex, chunkIds: readonly number[]): SQL[] {
  const ids = JSON.stringify(chunkIds);
  return [...deleteChunks(ids), sql`INSERT INTO gone (memory_id, chunk_ids) VALUES (${memoryId}, ${ids})`];
}

/** Deletes chunks with their terms. @param ids a JSON list */
export function deleteChunks(ids: string): SQL[] {
  return [
    sql`DELETE FROM chunk_terms WHERE rowid IN (SELECT value FROM json_each(${ids}))`,
    sql`DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(${ids}))`,
  ];
}

/** Keeps the counts of what is live. */
export function countMore({ memoryId }: MemoryIndex, files: number, chunks: number): SQL {
  return sql`UPDATE meta SET files = files + ${files}, chunks = chunks + ${chunks} WHERE id = ${memoryId}`;
}

/** Takes changes for done, but for files that were changed once more. */
export async function settleChanges({ database, agentId }: MemoryIndex, changes: readonly Change[]): Promise<void> {
  await runAll(database, settle(agentId, changes));
}

/** The same as a part of a batch. */
export function settle(agentId: string, changes: readonly Change[]): SQL[] {
  if (changes.length === 0) return [];
  return [
    sql`DELETE FROM changes WHERE agent_id = ${agentId}
      AND (path, token) IN (SELECT value ->> 'path', value ->> 'token' FROM json_each(${JSON.stringify(changes)}))`,
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
