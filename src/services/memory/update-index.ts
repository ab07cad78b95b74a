import { log } from "../../lib/log.ts";
import type { SyncDeps } from "../../memory/sync/index-documents.ts";
import { syncFiles } from "../../memory/sync/sync-files.ts";
import { fillVectors } from "../../memory/vectors/fill-vectors.ts";
import type { VectorDeps } from "../../memory/vectors/vector-store.ts";
import { askForRest } from "./ask-for-rest.ts";

/** What bringing an index up to date works with. */
export interface UpdateIndexDeps {
  agentId: string;
  sync: SyncDeps;
  vectors: VectorDeps;
  indexing: Queue;
  now(): number;
}

export interface UpdateIndexOptions {
  force: boolean;
  budgetMs: number;
  /** How often in a row nothing could be done of what was left. */
  fruitless?: number;
}

/**
 * Indexes what has changed, words first, then makes the vectors that are missing. What is left when the time is over is
 * the next message's, which this sends.
 * @returns whether nothing is left
 * @throws what D1 throws
 */
export async function updateIndex(deps: UpdateIndexDeps, options: UpdateIndexOptions): Promise<boolean> {
  const { force, budgetMs, fruitless = 0 } = options;
  const endsAt = deps.now() + budgetMs;
  const files = await syncFiles(deps.sync, { force, budgetMs });
  if (files.failure !== undefined) log("warn", "memory.not_indexed", { agentId: deps.agentId, error: files.failure });
  if (files.busy) {
    await askForRest(deps, { isBusy: true, hasMoved: false, fruitless });
    return false;
  }
  const leftMs = endsAt - deps.now();
  // Where a comparison alone takes all the time, it would be made again for ever, and no vector.
  const isTurn = leftMs > 0 || files.indexed === 0;
  const vectors = isTurn ? await fillVectors(deps.vectors, { budgetMs: Math.max(0, leftMs) }) : { left: 1 };
  const isLeft = files.left > 0 || vectors.left > 0;
  if (!isLeft && vectors.retryInMs === undefined) return true;
  const hasMoved = isLeft && (files.indexed > 0 || vectors.left > 0);
  await askForRest(deps, { isBusy: false, hasMoved, fruitless, waitMs: vectors.retryInMs });
  return false;
}
