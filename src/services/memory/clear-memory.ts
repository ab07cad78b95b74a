import { memorySearch } from "../../config/memory-schema.ts";
import { log } from "../../lib/log.ts";
import { dropIndex, hasIndex } from "../../memory/store/clear-index.ts";
import { syncFiles } from "../../memory/sync/sync-files.ts";
import { fillVectors } from "../../memory/vectors/fill-vectors.ts";
import type { VectorDeps } from "../../memory/vectors/vector-store.ts";
import { askForRest } from "./ask-for-rest.ts";
import type { MemoryEnv } from "./memory-deps.ts";

/** An agent that is not configured any more has none of its own, and for clearing away all are as good. */
const SETTINGS = memorySearch.parse({});

/** Whose memory is cleared away. */
export interface ClearMemoryDeps extends Pick<VectorDeps, "agentId" | "host" | "now"> {
  env: Pick<MemoryEnv, "MEMORY" | "INDEXING" | "VECTORS">;
}

/**
 * Clears away the whole index of an agent that is to have none, as far as the budget goes, and asks for the rest. It may end
 * anywhere and be repeated. What the index was made from stays, so that it can be made anew.
 * @throws what D1 throws
 */
export async function clearMemory(
  { env, agentId, host, now }: ClearMemoryDeps,
  { budgetMs, fruitless = 0 }: { budgetMs: number; fruitless?: number },
): Promise<void> {
  const { MEMORY: database, INDEXING: indexing, VECTORS: vectorize } = env;
  if (!(await hasIndex(database, agentId))) return;
  const half = { budgetMs: budgetMs / 2 };
  const vectors = await fillVectors(
    {
      database,
      agentId,
      settings: SETTINGS,
      embedders: { primary: undefined, fallback: undefined },
      embedderForSpace: () => undefined,
      vectorize,
      host,
      queryVectors: new Map(),
      now,
    },
    half,
  );
  // Where nobody makes embeddings all spaces leave as a whole: no vector is to be forgotten by itself.
  const removeVectors = async () => {};
  const files = await syncFiles(
    { database, agentId, settings: SETTINGS, stores: [], removeVectors, now },
    { force: false, ...half },
  );
  if (await dropIndex(database, agentId, now())) {
    log("info", "memory.cleared", { agentId });
    return;
  }
  const hasMoved = files.left > 0 || vectors.left > 0;
  await askForRest({ indexing, agentId }, { isBusy: files.busy, hasMoved, fruitless, waitMs: vectors.retryInMs });
}
