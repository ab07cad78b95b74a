import { and, eq, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { files } from "../../db/memory-schema.ts";
import type { Document } from "../document-store.ts";
import { addToCounts, insertChunks } from "./change-files.ts";
import { settleStatements } from "./changes.ts";
import type { BuildingFile, LiveFile, MemoryIndex, NewChunk } from "./memory-index.ts";
import { guard, isIn, runAll, unlessGuardFails } from "./statements.ts";

/** Adds a new version of a file; searches do not see it yet. */
export async function beginBuilding(index: MemoryIndex, document: Document, now: number): Promise<BuildingFile> {
  const { memoryId, generation, database } = index;
  const { path, source, etag, size, modifiedAt } = document;
  const fresh = { memoryId, generation, path, source, etag, size, modifiedAt, chunks: 0, indexedAt: now };
  const [row] = await drizzle(database)
    .insert(files)
    .values({ ...fresh, state: "building" })
    .returning({ id: files.id });
  if (row === undefined) throw new Error("The database returned no id for the new version of a file.");
  return { id: row.id, path, etag, chunks: 0, generation };
}

/** Adds chunks to a version. @returns undefined if another worker has added to it or deleted it */
export async function addToBuilding(
  index: MemoryIndex,
  building: BuildingFile,
  chunks: readonly NewChunk[],
): Promise<BuildingFile | undefined> {
  const { id, path } = building;
  const filled = { ...building, chunks: building.chunks + chunks.length };
  const done = await unlessGuardFails(
    runAll(index.database, [
      guard(isUnchanged(building)),
      ...insertChunks(index, [{ path, chunks }], sql`f.id = ${id}`),
      sql`UPDATE files SET chunks = ${filled.chunks} WHERE id = ${id}`,
    ]),
  );
  return done ? filled : undefined;
}

/** What replaces the live version of a file. */
export interface Replacement {
  document: Document;
  live: LiveFile | undefined;
  /** The ids of chunks that the live version shares with the new one. */
  kept: readonly number[];
  warning: string | undefined;
  token: string | undefined;
}

/** Replaces the live version. @returns false if either version is no longer as it was read */
export async function finishBuilding(
  index: MemoryIndex,
  building: BuildingFile,
  { document, live, kept, warning, token }: Replacement,
  now: number,
): Promise<boolean> {
  const { id, path } = building;
  const chunks = building.chunks + kept.length;
  const isLive = sql`memory_id = ${index.memoryId} AND path = ${path} AND state = 'live'`;
  const before =
    live === undefined
      ? sql`NOT EXISTS (SELECT 1 FROM files WHERE ${isLive})`
      : sql`EXISTS (SELECT 1 FROM files WHERE ${isLive} AND id = ${live.id} AND revision = ${live.revision})`;
  return unlessGuardFails(
    runAll(index.database, [
      guard(
        sql`${isUnchanged(building)} AND ${before} AND ${token === undefined ? sql`true` : isNoted(index.agentId, path)}`,
      ),
      ...(live === undefined ? [] : [sql`UPDATE files SET state = 'dead' WHERE id = ${live.id}`]),
      sql`UPDATE chunks SET file_id = ${id} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(kept)}))`,
      sql`UPDATE files SET state = 'live', chunks = ${chunks}, warning = ${warning ?? null}, size = ${document.size},
        modified_at = ${document.modifiedAt}, indexed_at = ${now} WHERE id = ${id}`,
      addToCounts(index, live === undefined ? 1 : 0, chunks - (live?.chunks ?? 0)),
      ...settleStatements(index.agentId, token === undefined ? [] : [{ path, token }]),
    ]),
  );
}

/** Abandons versions that will not be completed. Safe to repeat. */
export async function abandonVersions(index: MemoryIndex, building: readonly BuildingFile[]): Promise<void> {
  if (building.length === 0) return;
  await drizzle(index.database)
    .update(files)
    .set({ state: "dead" })
    .where(
      and(
        eq(files.state, "building"),
        isIn(
          files.id,
          building.map(({ id }) => id),
        ),
      ),
    );
}

/** Whether the note of a change is still there. If it is settled, another worker has read the file later. */
function isNoted(agentId: string, path: string): SQL {
  return sql`EXISTS (SELECT 1 FROM changes WHERE agent_id = ${agentId} AND path = ${path})`;
}

function isUnchanged({ id, chunks }: BuildingFile): SQL {
  return sql`EXISTS (SELECT 1 FROM files WHERE id = ${id} AND state = 'building' AND chunks = ${chunks})`;
}
