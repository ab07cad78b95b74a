import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { meta } from "../../db/memory-schema.ts";
import type { MemoryIndex } from "./memory-index.ts";

/** The right to bring an index up to date. Who has it works alone but for a few files that a search indexes beside him. */
export interface Lease {
  index: MemoryIndex;
  until: number;
}

/**
 * Takes the lease of an agent's index, which is made where there is none. Other settings than the last, and `force`, begin
 * another generation; `force` does so also where the lease is somebody else's.
 * @returns undefined where somebody else has it
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

/** What is to be kept of a work that is over. */
export interface Outcome {
  /** When it began to compare all files; undefined where it did not get to. */
  comparedAt: number | undefined;
  /** Files that wait still. */
  pending: number;
  failure: { message: string; at: number } | undefined;
}

/** Gives a lease back, with what came of the work. What is somebody else's by now stays so. */
export async function giveBack({ index, until }: Lease, { comparedAt, pending, failure }: Outcome): Promise<void> {
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
