import { and, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, chunks, files } from "../../db/memory-schema.ts";
import type { BuildingFile, Change, LiveFile, MemoryIndex, StoredChunk } from "./memory-index.ts";

/** Most rows of a kind that are looked at: more than a memory has files. */
const MAX_ROWS = 50_000;

const LIVE = {
  id: files.id,
  path: files.path,
  source: files.source,
  etag: files.etag,
  chunks: files.chunks,
  revision: files.revision,
  generation: files.generation,
};
const BUILDING = {
  id: files.id,
  path: files.path,
  etag: files.etag,
  chunks: files.chunks,
  generation: files.generation,
};
const CHANGE = { path: changes.path, token: changes.token };

/** What an index has at a moment. */
export interface IndexState {
  live: LiveFile[];
  building: BuildingFile[];
  changes: Change[];
}

/** All files of an index, and what was said to have changed. One round trip. */
export async function readIndex({ database, agentId, memoryId }: MemoryIndex): Promise<IndexState> {
  const db = drizzle(database);
  const inState = (state: "live" | "building") => and(eq(files.memoryId, memoryId), eq(files.state, state));
  const [live, building, changed] = await db.batch([
    db.select(LIVE).from(files).where(inState("live")).limit(MAX_ROWS),
    db.select(BUILDING).from(files).where(inState("building")).limit(MAX_ROWS),
    db.select(CHANGE).from(changes).where(eq(changes.agentId, agentId)).limit(MAX_ROWS),
  ]);
  return { live, building, changes: changed };
}

/** The chunks of some files, without their texts. */
export async function chunksOfFiles(database: D1Database, fileIds: readonly number[]): Promise<StoredChunk[]> {
  if (fileIds.length === 0) return [];
  return drizzle(database)
    .select({ id: chunks.id, fileId: chunks.fileId, startLine: chunks.startLine, hash: chunks.hash })
    .from(chunks)
    .where(inArray(chunks.fileId, sql`(SELECT value FROM json_each(${JSON.stringify(fileIds)}))`));
}

/** The files at some paths that are searched. */
export async function liveFilesAt({ database, memoryId }: MemoryIndex, paths: readonly string[]): Promise<LiveFile[]> {
  const at = sql`(SELECT value FROM json_each(${JSON.stringify(paths)}))`;
  return drizzle(database)
    .select(LIVE)
    .from(files)
    .where(and(eq(files.memoryId, memoryId), sql`${files.state} = 'live'`, sql`${files.path} IN ${at}`));
}
