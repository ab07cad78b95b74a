/** What the queue INDEXING carries: an agent whose index is to be brought up to date. */
export interface IndexMemory {
  kind: "index-memory";
  agentId: string;
  /** All files are read and cut anew. */
  force?: boolean;
}

/** Most messages of one call of a queue. */
const MAX_AT_ONCE = 100;

/**
 * Asks for an agent's index to be brought up to date. May be asked for again at any time: one index is made once at a time.
 * @throws whatever the queue throws
 */
export async function askForIndexing(
  queue: Queue<IndexMemory>,
  agentId: string,
  options: { force?: boolean; delaySeconds?: number } = {},
): Promise<void> {
  const { force = false, delaySeconds = 0 } = options;
  await queue.send({ kind: "index-memory", agentId, ...(force && { force }) }, { delaySeconds });
}

/** The same for many agents. @throws whatever the queue throws */
export async function askForAll(queue: Queue<IndexMemory>, agentIds: readonly string[]): Promise<void> {
  for (let i = 0; i < agentIds.length; i += MAX_AT_ONCE) {
    await queue.sendBatch(
      agentIds.slice(i, i + MAX_AT_ONCE).map((agentId) => ({ body: { kind: "index-memory", agentId } })),
    );
  }
}
