import { type SQL, sql } from "drizzle-orm";
import { batches } from "../../lib/batches.ts";
import type { Document } from "../document-store.ts";
import { indexedPathTerms, indexedTerms } from "../text/terms.ts";
import { settleStatements } from "./changes.ts";
import type { LiveFile, MemoryIndex, NewChunk } from "./memory-index.ts";
import { guard, runAll, unlessGuardFails } from "./statements.ts";

/** How a file differs from its indexed version. */
export interface FileChange {
  document: Document;
  /** Its indexed version, as it was read; undefined if there is none. */
  live: LiveFile | undefined;
  added: readonly NewChunk[];
  /** The ids of chunks that it no longer has. */
  removed: readonly number[];
  warning: string | undefined;
  /**
   * The note of its change, read before the file. A note that has been settled since means that another worker read the
   * file later.
   */
  token: string | undefined;
}

/**
 * Stores changes of files in one transaction.
 * @returns false if one of the files is no longer as it was read; nothing is changed then
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
  return unlessGuardFails(
    runAll(index.database, [
      // An index that was dropped in between gets no files: nothing would find or delete them.
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
      ...(removed.length === 0 ? [] : removalStatements(index, removed)),
      ...insertChunks(index, added, isLive),
      addToCounts(index, changes.filter(({ live }) => live === undefined).length, more),
      ...settleStatements(
        agentId,
        changes.flatMap(({ document: { path }, token }) => (token === undefined ? [] : [{ path, token }])),
      ),
    ]),
  );
}

/**
 * Removes files from the index; their chunks are deleted later.
 * @returns the ids of the removed files; the others are no longer as they were read
 */
export async function removeFiles(index: MemoryIndex, removed: readonly LiveFile[]): Promise<number[]> {
  if (removed.length === 0) return [];
  const rows = JSON.stringify(removed.map(({ id, revision }) => ({ id, revision })));
  const isRead = sql`state = 'live' AND (id, revision) IN (SELECT value ->> 'id', value ->> 'revision' FROM json_each(${rows}))`;
  const [, gone] = await runAll(index.database, [
    sql`UPDATE meta SET files = files - (SELECT count(*) FROM files WHERE ${isRead}),
      chunks = chunks - (SELECT coalesce(sum(chunks), 0) FROM files WHERE ${isRead}) WHERE id = ${index.memoryId}`,
    sql`UPDATE files SET state = 'dead' WHERE ${isRead} RETURNING id`,
  ]);
  return gone?.results.map(({ id }) => Number(id)) ?? [];
}

/** Deletes chunks with their terms, and records that their vectors have to be removed. */
function removalStatements({ memoryId }: MemoryIndex, chunkIds: readonly number[]): SQL[] {
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

/** Adds to the counts of live files and chunks. */
export function addToCounts({ memoryId }: MemoryIndex, files: number, chunks: number): SQL {
  return sql`UPDATE meta SET files = files + ${files}, chunks = chunks + ${chunks} WHERE id = ${memoryId}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** UTF-16 units of one parameter: at most three bytes each, and D1 accepts 2 MB. */
const MAX_UNITS = 250_000;
/** Chunks of one statement. */
const MAX_CHUNKS = 500;

/** Chunks of one file. */
export interface FileChunks {
  path: string;
  chunks: readonly NewChunk[];
}

interface Row extends NewChunk {
  path: string;
  terms: string;
  place: string;
}

/**
 * Statements of a batch that store chunks with their terms. D1 bills three rows written for each chunk: the chunk, its
 * entry in the index by file, and a row of FTS5.
 * @param isFile condition for rows `f` of `files`; a chunk belongs to the one with its path
 */
export function insertChunks(index: MemoryIndex, byFile: readonly FileChunks[], isFile: SQL): SQL[] {
  const groups = [...batches(chunkRows(index, byFile), parameterUnits, { size: MAX_UNITS, count: MAX_CHUNKS })];
  return groups.flatMap((rows) => [
    sql`INSERT INTO chunks (file_id, start_line, end_line, hash, text)
      SELECT f.id, e.value ->> 'startLine', e.value ->> 'endLine', e.value ->> 'hash', e.value ->> 'text'
      FROM json_each(${json(rows, ["path", "startLine", "endLine", "hash", "text"])}) e
      CROSS JOIN files f ON ${isFile} AND f.path = e.value ->> 'path' ORDER BY e.key`,
    // Ids are assigned in this order, and a transaction lets no other chunk in between.
    sql`INSERT INTO chunk_terms (rowid, terms, place)
      SELECT (SELECT max(id) FROM chunks) - ${rows.length - 1} + e.key, e.value ->> 'terms', e.value ->> 'place'
      FROM json_each(${json(rows, ["terms", "place"])}) e`,
  ]);
}

function* chunkRows({ memoryId }: MemoryIndex, byFile: readonly FileChunks[]): Generator<Row> {
  for (const { path, chunks } of byFile) {
    const place = chunks.length === 0 ? "" : indexedPathTerms(memoryId, path);
    for (const chunk of chunks) yield { ...chunk, path, place, terms: indexedTerms(memoryId, chunk.text) };
  }
}

/** Text and terms are separate parameters: the longer one counts. */
function parameterUnits({ path, text, terms, place }: Row): number {
  return Math.max(text.length + path.length, terms.length + place.length);
}

function json(rows: readonly Row[], fields: (keyof Row)[]): string {
  return JSON.stringify(rows, fields);
}
