import { type SQL, sql } from "drizzle-orm";
import { batches } from "../../lib/batches.ts";
import { placeTermsOf, termsOf } from "../text/index-terms.ts";
import type { MemoryIndex, NewChunk } from "./memory-index.ts";

/** Most UTF-16 units of one parameter: three bytes each at most, and D1 takes 2 MB. */
const MAX_UNITS = 250_000;
/** Most chunks of one statement. */
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
 * The statements that store chunks with their terms, for the middle of a batch. Three rows are written a chunk, which D1
 * bills: itself, its place in the index by file, and one of FTS5's.
 * @param isFile which rows `f` of `files` they belong to, each to that with its path
 */
export function insertChunks(index: MemoryIndex, byFile: readonly FileChunks[], isFile: SQL): SQL[] {
  const slices = [...batches(rowsOf(index, byFile), unitsOf, { size: MAX_UNITS, count: MAX_CHUNKS })];
  return slices.flatMap((rows) => [
    sql`INSERT INTO chunks (file_id, start_line, end_line, hash, text)
      SELECT f.id, e.value ->> 'startLine', e.value ->> 'endLine', e.value ->> 'hash', e.value ->> 'text'
      FROM json_each(${json(rows, ["path", "startLine", "endLine", "hash", "text"])}) e
      CROSS JOIN files f ON ${isFile} AND f.path = e.value ->> 'path' ORDER BY e.key`,
    // Ids are given in this order, and no other chunk comes in between.
    sql`INSERT INTO chunk_terms (rowid, terms, place)
      SELECT (SELECT max(id) FROM chunks) - ${rows.length - 1} + e.key, e.value ->> 'terms', e.value ->> 'place'
      FROM json_each(${json(rows, ["terms", "place"])}) e`,
  ]);
}

function* rowsOf({ memoryId }: MemoryIndex, byFile: readonly FileChunks[]): Generator<Row> {
  for (const { path, chunks } of byFile) {
    const place = chunks.length === 0 ? "" : placeTermsOf(memoryId, path);
    for (const chunk of chunks) yield { ...chunk, path, place, terms: termsOf(memoryId, chunk.text) };
  }
}

/** Text and terms are a parameter each, so that the longer one counts. */
function unitsOf({ path, text, terms, place }: Row): number {
  return Math.max(text.length + path.length, terms.length + place.length);
}

function json(rows: readonly Row[], fields: (keyof Row)[]): string {
  return JSON.stringify(rows, fields);
}
