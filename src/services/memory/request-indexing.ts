import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";

/** A message of the queue INDEXING: the agent whose index must be updated. */
export interface IndexMemory {
  kind: "index-memory";
  agentId: string;
  /** The number of consecutive attempts without progress. */
  fruitless?: number;
}

/** Most messages of one call of a queue. */
const MAX_AT_ONCE = 100;
/** A message that is due this long before a change is ready would be too early for it. */
const SLACK_MS = 250;
/** Delay of the next listing after an incomplete one. */
const LISTING_MS = 10_000;
/** How long one message covers all new conversations. */
const START_MS = 60_000;

/** By reason and agent: until when no other message is needed. */
const covered = new WeakMap<Queue, Map<string, number>>();

/**
 * Requests an update of an agent's index. May be repeated at any time: an index is updated by one worker at a time.
 * @throws the error of the queue
 */
export async function requestIndexing(
  queue: Queue<IndexMemory>,
  agentId: string,
  options: { fruitless?: number; delayMs?: number } = {},
): Promise<void> {
  const { delayMs = 0, fruitless } = options;
  const message = { kind: "index-memory", agentId, ...(fruitless !== undefined && { fruitless }) } as const;
  await queue.send(message, { delaySeconds: Math.ceil(delayMs / 1000) });
}

/** Requests updates for many agents. @throws the error of the queue */
export async function requestIndexingOfAll(queue: Queue<IndexMemory>, agentIds: readonly string[]): Promise<void> {
  for (let i = 0; i < agentIds.length; i += MAX_AT_ONCE) {
    await queue.sendBatch(
      agentIds.slice(i, i + MAX_AT_ONCE).map((agentId) => ({ body: { kind: "index-memory", agentId } })),
    );
  }
}

/**
 * Requests an update after a change, with one message for all changes of the next `delayMs`, delivered after them.
 * @throws the error of the queue
 */
export function requestIndexingAfterChange(
  queue: Queue<IndexMemory>,
  agentId: string,
  delayMs: number,
  now: number,
): Promise<void> {
  const delayed = Math.ceil(delayMs / 1000) * 1000;
  return askUnlessCovered(queue, agentId, { name: "change", delayMs: delayed, forMs: delayed - SLACK_MS }, now);
}

/** Requests an update for a search, at most once in `forMs`. @throws the error of the queue */
export function requestIndexingAfterSearch(
  queue: Queue<IndexMemory>,
  agentId: string,
  forMs: number,
  now: number,
): Promise<void> {
  return askUnlessCovered(queue, agentId, { name: "search", delayMs: 0, forMs }, now);
}

/**
 * Requests an update after an incomplete listing, with at most one message per delay. Never rejects: the next search
 * requests it again.
 */
export async function requestIndexingAfterListing(
  queue: Queue<IndexMemory>,
  agentId: string,
  now: number,
): Promise<void> {
  try {
    await askUnlessCovered(queue, agentId, { name: "listing", delayMs: LISTING_MS, forMs: LISTING_MS }, now);
  } catch (thrown) {
    log("warn", "memory.indexing_not_asked", { agentId, error: messageOf(thrown) });
  }
}

/** Requests an update for new conversations, one message for many. Never rejects: a search checks by itself. */
export async function requestIndexingAtStart(queue: Queue<IndexMemory>, agentId: string, now: number): Promise<void> {
  try {
    await askUnlessCovered(queue, agentId, { name: "start", delayMs: 0, forMs: START_MS }, now);
  } catch (thrown) {
    log("warn", "memory.indexing_not_asked", { agentId, error: messageOf(thrown) });
  }
}

async function askUnlessCovered(
  queue: Queue<IndexMemory>,
  agentId: string,
  { name, delayMs, forMs }: { name: string; delayMs: number; forMs: number },
  now: number,
): Promise<void> {
  const until = covered.get(queue) ?? new Map<string, number>();
  covered.set(queue, until);
  const key = `${name} ${agentId}`;
  if (now < (until.get(key) ?? 0)) return;
  until.set(key, now + forMs);
  try {
    await requestIndexing(queue, agentId, { delayMs });
  } catch (thrown) {
    until.delete(key);
    throw thrown;
  }
}
