import { and, eq, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { files } from "../../db/memory-schema.ts";
import type { Document } from "../sync/document-store.ts";
import { countMore, settle } from "./change-files.ts";
import { guard, unlessOvertaken } from "./guard.ts";
import { insertChunks } from "./insert-chunks.ts";
import type { BuildingFile, LiveFile, MemoryIndex, NewChunk } from "./memory-index.ts";
import { runAll } from "./run-all.ts";

/** Begins another version of a file, which no search sees. */
export async function beginBuilding(index: MemoryIndex, document: Document, now: number): Promise<BuildingFile> {
  const { memoryId, generation, database } = index;
  const { path, source, etag, size, modifiedAt } = document;
  const fresh = { memoryId, generation, path, source, etag, size, modifiedAt, chunks: 0, indexedAt: now };
  const [row] = await drizzle(database)
    .insert(files)
    .values({ ...fresh, state: "building" })
    .returning({ id: files.id });
  if (row === undefined) throw new Error("The database gave the new version of a file no number.");
  return { id: row.id, path, etag, chunks: 0, generation };
}

/** Adds chunks to a version. @returns undefined where somebody else has added to it, or cleared it away */
export async function addToBuilding(
  index: MemoryIndex,
  building: BuildingFile,
  chunks: readonly NewChunk[],
): Promise<BuildingFile | undefined> {
  const { id, path } = building;
  const filled = { ...building, chunks: building.chunks + chunks.length };
  const done = await unlessOvertaken(
    runAll(index.database, [
      guard(isAsSeen(building)),
      ...insertChunks(index, [{ path, chunks }], sql`f.id = ${id}`),
      sql`UPDATE files SET chunks = ${filled.chunks} WHERE id = ${id}`,
    ]),
  );
  return done ? filled : undefined;
}

/** What makes a version the one that is searched. */
export interface Flip {
  document: Document;
  live: LiveFile | undefined;
  /** The ids of chunks of the live version that the new one has as well. */
  kept: readonly number[];
  warning: string | undefined;
  token: string | undefined;
}

/** Puts a version in the place of the live one. @returns false where either is not as it was seen any more */
export async function finishBuilding(
  index: MemoryIndex,
  building: BuildingFile,
  { document, live, kept, warning, token }: Flip,
  now: number,
): Promise<boolean> {
  const { id, path } = building;
  const chunks = building.chunks + kept.length;
  const isLive = sql`memory_id = ${index.memoryId} AND path = ${path} AND state = 'live'`;
  const before =
    live === undefined
      ? sql`NOT EXISTS (SELECT 1 FROM files WHERE ${isLive})`
      : sql`EXISTS (SELECT 1 FROM files WHERE ${isLive} AND id = ${live.id} AND revision = ${live.revision})`;
  return unlessOvertaken(
    runAll(index.database, [
      guard(
        sql`${isAsSeen(building)} AND ${before} AND ${token === undefined ? sql`true` : isOpen(index.agentId, path)}`,
      ),
      ...(live === undefined ? [] : [sql`UPDATE files SET state = 'dead' WHERE id = ${live.id}`]),
      sql`UPDATE chunks SET file_id = ${id} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(kept)}))`,
      sql`UPDATE files SET state = 'live', chunks = ${chunks}, warning = ${warning ?? null}, size = ${document.size},
        modified_at = ${document.modifiedAt}, indexed_at = ${now} WHERE id = ${id}`,
      countMore(index, live === undefined ? 1 : 0, chunks - (live?.chunks ?? 0)),
      ...settle(index.agentId, token === undefined ? [] : [{ path, token }]),
    ]),
  );
}

/** Gives versions up that nobody goes on with. Safe to repeat. */
export async function giveUp(index: MemoryIndex, building: readonly BuildingFile[]): Promise<void> {
  if (building.length === 0) return;
  const ids = JSON.stringify(building.map(({ id }) => id));
  await drizzle(index.database)
    .update(files)
    .set({ state: "dead" })
    .where(and(eq(files.state, "building"), sql`${files.id} IN (SELECT value FROM json_each(${ids}))`));
}

/** If a change is settled meanwhile, somebody has read the file after us. */
function isOpen(agentId: string, path: string): SQL {
  return sql`EXISTS (SELECT 1 FROM changes WHERE agent_id = ${agentId} AND path = ${path})`;
}

function isAsSeen({ id, chunks }: BuildingFile): SQL {
  return sql`EXISTS (SELECT 1 FROM files WHERE id = ${id} AND state = 'building' AND chunks = ${chunks})`;
}
