import type { Agent } from "../../config/agents.ts";
import { comesWithin } from "../../lib/deadline.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { isMemoryPath } from "../../memory/memory-paths.ts";
import { noteChange } from "../../memory/store/changes.ts";
import { requestIndexingAfterChange } from "./request-indexing.ts";

/** Timeout of the database. */
const ANSWER_MS = 3000;

/** The Worker's bindings for recording changes. */
export type ChangeEnv = Pick<Env, "MEMORY" | "INDEXING">;

/**
 * Records a changed workspace file for these agents. If it belongs to memory, their next search includes it, and the
 * queue gets one message for all changes within `sync.watchDebounceMs`. Never rejects: a change that could not be
 * recorded is found when the files are compared.
 */
export async function noteMemoryChange(
  env: ChangeEnv,
  agents: readonly Agent[],
  path: string,
  now: () => number,
): Promise<void> {
  await Promise.all(agents.filter((agent) => isWatched(agent, path)).map((agent) => note(env, agent, path, now)));
}

function isWatched({ memorySearch }: Agent, path: string): boolean {
  const { enabled, sync } = memorySearch;
  return enabled && (sync.watch || sync.onSearch) && isMemoryPath(path, memorySearch);
}

async function note(env: ChangeEnv, { id, memorySearch }: Agent, path: string, now: () => number): Promise<void> {
  const { watch, watchDebounceMs } = memorySearch.sync;
  try {
    const noting = noteChange(env.MEMORY, id, path, crypto.randomUUID(), now());
    if (!(await comesWithin(ANSWER_MS, noting))) throw new Error(`no answer within ${ANSWER_MS} ms`);
    if (watch) await requestIndexingAfterChange(env.INDEXING, id, watchDebounceMs, now());
  } catch (thrown) {
    log("warn", "memory.change_not_noted", { agentId: id, path, error: messageOf(thrown) });
  }
}
