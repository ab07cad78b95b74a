import { and, count, eq, isNotNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, files, meta } from "../../db/memory-schema.ts";
import type { MemoryStatus } from "../agent-memory.ts";

/** Most files that are named with what is wrong with them. */
const MAX_WARNINGS = 100;
/** Changes beyond so many are not counted. */
const MAX_COUNTED = 10_000;

/** What an index says of its files. */
export type FileStatus = Pick<
  MemoryStatus,
  "files" | "chunks" | "pending" | "busy" | "comparedAt" | "warnings" | "failure"
>;

/** How an agent's index stands; as one that is empty where there is none. One round trip. */
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
