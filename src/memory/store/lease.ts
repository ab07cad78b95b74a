import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { meta } from "../../db/memory-schema.ts";
import type { MemoryIndex } from "./memory-index.ts";

/**
 * The right to update an index. The holder is the only writer, except for a few files that a search may index itself.
 */
export interface Lease {
  index: MemoryIndex;
  until: number;
}

/**
 * Takes the lease of an agent's index and creates a missing index. Changed settings and `force` start a new generation;
 * `force` does so even if another worker has the lease.
 * @returns undefined if another worker has it
 */
export async function takeLease(
  database: D1Database,
  agentId: string,
  { form, force, now, until }: { form: string; force: boolean; now: number; until: number },
): Promise<Lease | undefined> {
  const db = drizzle(database);
  const [, , rows] = await db.batch([
    db.insert(meta).values({ agentId }).onConflictDoNothing(),
    db
      .update(meta)
      .set({ generation: sql`${meta.generation} + 1` })
      .where(and(eq(meta.agentId, agentId), sql`${Number(force)}`)),
    db
      .update(meta)
      .set({
        leasedUntil: until,
        generation: sql`${meta.generation} + (coalesce(${meta.settings}, ${form}) <> ${form})`,
        settings: form,
      })
      .where(and(eq(meta.agentId, agentId), sql`coalesce(${meta.leasedUntil}, 0) <= ${now}`))
      .returning({ memoryId: meta.id, generation: meta.generation }),
  ]);
  const [row] = rows;
  return row && { index: { database, agentId, ...row }, until };
}

/** The result of an update. */
export interface UpdateResult {
  /** When the comparison of all files began; undefined if it was not complete. */
  comparedAt: number | undefined;
  /** Files that are still not up to date. */
  pending: number;
  failure: { message: string; at: number } | undefined;
}

/** Ends a lease and stores the result, unless another worker has taken it after it expired. */
export async function releaseLease(
  { index, until }: Lease,
  { comparedAt, pending, failure }: UpdateResult,
): Promise<void> {
  await drizzle(index.database)
    .update(meta)
    .set({
      leasedUntil: null,
      failure: failure?.message ?? null,
      failedAt: failure?.at ?? null,
      ...(comparedAt !== undefined && { comparedAt, pending }),
    })
    .where(and(eq(meta.id, index.memoryId), eq(meta.leasedUntil, until)));
}
