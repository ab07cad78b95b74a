import { log } from "../../lib/log.ts";
import type { SyncDeps } from "../../memory/sync/index-documents.ts";
import { syncFiles } from "../../memory/sync/sync-files.ts";
import { fillVectors } from "../../memory/vectors/fill-vectors.ts";
import type { VectorDeps } from "../../memory/vectors/vector-store.ts";
import { askForRest } from "./ask-for-rest.ts";

/** Dependencies of `updateIndex`. */
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
  /** The number of consecutive attempts without progress. */
  fruitless?: number;
}

/**
 * Indexes changes, full text first, then creates missing vectors. When the time is up, the rest is left to another
 * message, which this function sends.
 * @returns whether nothing is left
 * @throws the error of D1
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
  // If the comparison alone used up all the time, it would be repeated forever and no vector created.
  const isTurn = leftMs > 0 || files.indexed === 0;
  const vectors = isTurn ? await fillVectors(deps.vectors, { budgetMs: Math.max(0, leftMs) }) : { left: 1 };
  const isLeft = files.left > 0 || vectors.left > 0;
  if (!isLeft && vectors.retryInMs === undefined) return true;
  const hasMoved = isLeft && (files.indexed > 0 || vectors.left > 0);
  await askForRest(deps, { isBusy: false, hasMoved, fruitless, waitMs: vectors.retryInMs });
  return false;
}
