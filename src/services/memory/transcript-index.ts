import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, chunks, embeddingCache, files, meta } from "../../db/memory-schema.ts";
import { TRANSCRIPTS } from "../../memory/memory-paths.ts";
import type { TranscriptPage } from "../../memory/transcript-path.ts";
import { transcriptFolder } from "../../memory/transcript-path.ts";

/** Most rows that are read: more than a memory has files. */
const MAX_ROWS = 50_000;

/** A transcript page in the index of a memory. */
export interface IndexedPage extends TranscriptPage {
  /** When it was last known to match the session. */
  indexedAt: number;
}

/** An agent's indexed transcript pages, and the pages that are known to have changed. @throws the error of D1 */
export async function readTranscriptIndex(
  database: D1Database,
  agentId: string,
): Promise<{ pages: IndexedPage[]; changed: string[] }> {
  const db = drizzle(database);
  const { path, etag, size, modifiedAt, indexedAt } = files;
  const [pages, changed] = await db.batch([
    db
      .select({ path, etag, size, modifiedAt, indexedAt })
      .from(files)
      .where(and(isLive(agentId), isBelow(files.path, TRANSCRIPTS)))
      .limit(MAX_ROWS),
    db
      .select({ path: changes.path })
      .from(changes)
      .where(and(eq(changes.agentId, agentId), isBelow(changes.path, TRANSCRIPTS)))
      .limit(MAX_ROWS),
  ]);
  return { pages, changed: changed.map((change) => change.path) };
}

/** Records that pages match their sessions. @throws the error of D1 */
export async function noteUnchanged(
  database: D1Database,
  agentId: string,
  paths: readonly string[],
  now: number,
): Promise<void> {
  const isOne = sql`${files.path} IN (SELECT value FROM json_each(${JSON.stringify(paths)}))`;
  await drizzle(database)
    .update(files)
    .set({ indexedAt: now })
    .where(and(isLive(agentId), isOne));
}

/**
 * Records that pages have changed or are gone, for the next update of the index.
 * @param token a new one each time
 * @throws the error of D1
 */
export async function notePages(
  database: D1Database,
  agentId: string,
  paths: readonly string[],
  { token, at }: { token: string; at: number },
): Promise<void> {
  await drizzle(database).run(sql`
    INSERT INTO ${changes} (agent_id, path, token, at)
    SELECT ${agentId}, value, ${token}, ${at} FROM json_each(${JSON.stringify(paths)}) WHERE true
    ON CONFLICT DO UPDATE SET token = excluded.token, at = excluded.at`);
}

/**
 * Removes a session's transcript from an agent's index, so that no search finds it, and from the embedding cache. The
 * rows of its passages are removed by the next update. May be repeated.
 * @throws the error of D1; nothing is changed then
 */
export async function forgetTranscripts(database: D1Database, agentId: string, sessionKey: string): Promise<void> {
  const db = drizzle(database);
  const folder = transcriptFolder(sessionKey);
  const isIts = and(sql`${files.memoryId} = ${memoryOf(agentId)}`, isBelow(files.path, folder));
  const live = and(isLive(agentId), isBelow(files.path, folder));
  const its = db.select({ id: files.id }).from(files).where(isIts);
  const texts = db.select({ hash: chunks.hash }).from(chunks).where(sql`${chunks.fileId} IN ${its}`);
  const counted = (what: SQL) => db.select({ what }).from(files).where(live);
  await db.batch([
    db.delete(embeddingCache).where(sql`${embeddingCache.hash} IN ${texts}`),
    db
      .update(meta)
      .set({
        files: sql`${meta.files} - ${counted(sql`count(*)`)}`,
        chunks: sql`${meta.chunks} - ${counted(sql`coalesce(sum(${files.chunks}), 0)`)}`,
      })
      .where(eq(meta.agentId, agentId)),
    db.update(files).set({ state: "dead" }).where(isIts),
    db.delete(changes).where(and(eq(changes.agentId, agentId), isBelow(changes.path, folder))),
  ]);
}

function isLive(agentId: string): SQL | undefined {
  // SQLite uses the index only if a query contains `state = 'live'` literally.
  return and(sql`${files.memoryId} = ${memoryOf(agentId)}`, sql`${files.state} = 'live'`);
}

function memoryOf(agentId: string): SQL {
  return sql`(SELECT ${meta.id} FROM ${meta} WHERE ${meta.agentId} = ${agentId})`;
}

/** Whether a path is below a folder, whose name ends with "/". */
function isBelow(path: typeof files.path | typeof changes.path, folder: string): SQL | undefined {
  // "0" comes after "/".
  return and(gte(path, folder), lt(path, `${folder.slice(0, -1)}0`));
}
