import { and, count, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, chunks, files, meta } from "../../db/memory-schema.ts";
import type { MemoryStatus } from "../agent-memory.ts";
import type { BuildingFile, FileNote, LiveFile, MemoryIndex, StoredChunk } from "./memory-index.ts";

/** Rows of each kind that are read: more than a memory has files. */
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

/** The files and noted changes of an index. */
export interface IndexContents {
  live: LiveFile[];
  building: BuildingFile[];
  changes: FileNote[];
}

/** Reads all files of an index and its noted changes in one round trip. */
export async function readIndex({ database, agentId, memoryId }: MemoryIndex): Promise<IndexContents> {
  const db = drizzle(database);
  const inState = (state: "live" | "building") => and(eq(files.memoryId, memoryId), eq(files.state, state));
  const [live, building, changed] = await db.batch([
    db.select(LIVE).from(files).where(inState("live")).limit(MAX_ROWS),
    db.select(BUILDING).from(files).where(inState("building")).limit(MAX_ROWS),
    db.select(CHANGE).from(changes).where(eq(changes.agentId, agentId)).limit(MAX_ROWS),
  ]);
  return { live, building, changes: changed };
}

/** Reads the chunks of files without their texts. */
export async function readChunks(database: D1Database, fileIds: readonly number[]): Promise<StoredChunk[]> {
  if (fileIds.length === 0) return [];
  return drizzle(database)
    .select({ id: chunks.id, fileId: chunks.fileId, startLine: chunks.startLine, hash: chunks.hash })
    .from(chunks)
    .where(inArray(chunks.fileId, sql`(SELECT value FROM json_each(${JSON.stringify(fileIds)}))`));
}

/** Reads the live files at some paths. */
export async function readLiveFiles(
  { database, memoryId }: MemoryIndex,
  paths: readonly string[],
): Promise<LiveFile[]> {
  const at = sql`(SELECT value FROM json_each(${JSON.stringify(paths)}))`;
  return drizzle(database)
    .select(LIVE)
    .from(files)
    .where(and(eq(files.memoryId, memoryId), sql`${files.state} = 'live'`, sql`${files.path} IN ${at}`));
}

/** Warnings in a status. */
const MAX_WARNINGS = 100;
/** Changes that are counted. */
const MAX_COUNTED = 10_000;

/** The part of a memory's status about files. */
export type FileStatus = Pick<
  MemoryStatus,
  "files" | "chunks" | "pending" | "busy" | "comparedAt" | "warnings" | "failure"
>;

/** Reads the status of an agent's index in one round trip; a missing index counts as an empty one. */
export async function fileStatus(database: D1Database, agentId: string, now: number): Promise<FileStatus> {
  const db = drizzle(database);
  const [[row], [changed], warned] = await db.batch([
    db.select().from(meta).where(eq(meta.agentId, agentId)),
    db
      .select({ count: count() })
      .from(
        db.select({ path: changes.path }).from(changes).where(eq(changes.agentId, agentId)).limit(MAX_COUNTED).as("c"),
      ),
    db
      .select({ path: files.path, message: sql<string>`${files.warning}` })
      .from(files)
      .innerJoin(meta, eq(meta.id, files.memoryId))
      .where(and(eq(meta.agentId, agentId), sql`${files.state} = 'live'`, isNotNull(files.warning)))
      .limit(MAX_WARNINGS),
  ]);
  const { failure = null, failedAt = null } = row ?? {};
  return {
    files: row?.files ?? 0,
    chunks: row?.chunks ?? 0,
    pending: Math.max(row?.pending ?? 0, changed?.count ?? 0),
    busy: (row?.leasedUntil ?? 0) > now,
    comparedAt: row?.comparedAt ?? null,
    warnings: warned,
    failure: failure === null ? null : { message: failure, at: failedAt ?? 0 },
  };
}
