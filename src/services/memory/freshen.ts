import type { Agent } from "../../config/agents.ts";
import { comesWithin } from "../../lib/deadline.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import type { IndexAge } from "../../memory/search/search-memory.ts";
import { indexChanged } from "../../memory/sync/index-changed.ts";
import type { SyncDeps } from "../../memory/sync/index-documents.ts";
import { syncFiles } from "../../memory/sync/sync-files.ts";
import { requestIndexingAfterSearch } from "./request-indexing.ts";

/** The budget of the first search, so that an agent with a few notes gets results at once. */
const FIRST_INDEX = { force: false, budgetMs: 1500, budgetBytes: 1024 * 1024 };
/** Timeout of a search for freshening. */
const PATIENCE_MS = 4000;
/** A comparison of all files that is younger is not repeated. */
const FRESH_MS = 60_000;
/** Minimum time between two requests to the queue. */
const QUIET_MS = 10_000;

/** Dependencies of `freshen`. */
export interface FreshenDeps {
  agent: Pick<Agent, "id" | "memorySearch">;
  sync: SyncDeps;
  indexing: Queue;
  now(): number;
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Indexes recent changes before a search, full text only, without embeddings. The queue does the rest. Never rejects.
 * @returns whether the index has changed
 */
export async function freshen(deps: FreshenDeps, age: IndexAge): Promise<boolean> {
  if (age.comparedAt !== null && !deps.agent.memorySearch.sync.onSearch) return false;
  const work = indexQuickly(deps, age);
  if (await comesWithin(PATIENCE_MS, work)) return work;
  deps.waitUntil(work);
  return false;
}

/** Never rejects. */
async function indexQuickly(deps: FreshenDeps, { pending, comparedAt }: IndexAge): Promise<boolean> {
  const isFirst = comparedAt === null;
  try {
    const { indexed, left } = isFirst
      ? await syncFiles(deps.sync, FIRST_INDEX)
      : pending > 0
        ? await indexChanged(deps.sync)
        : { indexed: 0, left: 0 };
    const isOld = isFirst || deps.now() - comparedAt > FRESH_MS;
    if (left > 0 || isOld) deps.waitUntil(ask(deps));
    return isFirst || indexed > 0;
  } catch (thrown) {
    log("warn", "memory.not_freshened", { agentId: deps.agent.id, error: messageOf(thrown) });
    deps.waitUntil(ask(deps));
    return false;
  }
}

/** Never rejects. */
async function ask({ agent, indexing, now }: FreshenDeps): Promise<void> {
  try {
    await requestIndexingAfterSearch(indexing, agent.id, QUIET_MS, now());
  } catch (thrown) {
    log("warn", "memory.indexing_not_asked", { agentId: agent.id, error: messageOf(thrown) });
  }
}
