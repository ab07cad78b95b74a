import { memorySearch } from "../../config/memory-schema.ts";
import { lazy } from "../../lib/lazy.ts";
import { log } from "../../lib/log.ts";
import { dropIndex, hasIndex } from "../../memory/store/clear-index.ts";
import { syncFiles } from "../../memory/sync/sync-files.ts";
import { fillVectors } from "../../memory/vectors/fill-vectors.ts";
import type { VectorDeps } from "../../memory/vectors/vector-store.ts";
import { askForRest } from "./ask-for-rest.ts";
import type { MemoryEnv } from "./memory-deps.ts";

/** An agent that is not configured has no settings; for clearing, the defaults will do. */
const defaultSettings = lazy(() => memorySearch.parse({}));

/** Dependencies of `clearMemory`. */
export interface ClearMemoryDeps extends Pick<VectorDeps, "agentId" | "host" | "now"> {
  env: Pick<MemoryEnv, "MEMORY" | "INDEXING" | "VECTORS">;
}

/**
 * Clears the index of an agent without memory, as far as the budget allows, and requests the rest. It may end at any
 * point and be repeated. The source files stay, so the index can be rebuilt.
 * @throws the error of D1
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
      settings: defaultSettings(),
      embedders: { primary: undefined, fallback: undefined },
      embedderForSpace: () => undefined,
      vectorize,
      host,
      queryVectors: new Map(),
      now,
    },
    half,
  );
  // Without an embedder all vector spaces are dropped as a whole: no single vector has to be removed.
  const removeVectors = async () => {};
  const files = await syncFiles(
    { database, agentId, settings: defaultSettings(), stores: [], removeVectors, now },
    { force: false, ...half },
  );
  if (await dropIndex(database, agentId, now())) {
    log("info", "memory.cleared", { agentId });
    return;
  }
  const hasMoved = files.left > 0 || vectors.left > 0;
  await askForRest({ indexing, agentId }, { isBusy: files.busy, hasMoved, fruitless, waitMs: vectors.retryInMs });
}
