import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";

/** What the queue INDEXING carries: an agent whose index is to be brought up to date. */
export interface IndexMemory {
  kind: "index-memory";
  agentId: string;
  /** How often in a row nothing could be done of what is left. */
  fruitless?: number;
}

/** Most messages of one call of a queue. */
const MAX_AT_ONCE = 100;
/** A message that comes so much before it was due would be too early for a change that counts on it. */
const SLACK_MS = 250;
/** How long the next listing waits where one was too long. */
const LISTING_MS = 10_000;
/** For how long one message will do for all conversations that begin. */
const START_MS = 60_000;

/** By who asks and for whom, up to when another message is not needed. */
const covered = new WeakMap<Queue, Map<string, number>>();

/**
 * Asks for an agent's index to be brought up to date. May be asked for again at any time: one index is made once at a time.
 * @throws whatever the queue throws
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

/** The same for many agents. @throws whatever the queue throws */
export async function requestIndexingOfAll(queue: Queue<IndexMemory>, agentIds: readonly string[]): Promise<void> {
  for (let i = 0; i < agentIds.length; i += MAX_AT_ONCE) {
    await queue.sendBatch(
      agentIds.slice(i, i + MAX_AT_ONCE).map((agentId) => ({ body: { kind: "index-memory", agentId } })),
    );
  }
}

/**
 * Asks for it because of a change, with one message for all changes of the next `delayMs`: it comes when they are over.
 * @throws whatever the queue throws
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

/** Asks for it because of a search, and not again for `forMs`. @throws whatever the queue throws */
export function requestIndexingAfterSearch(
  queue: Queue<IndexMemory>,
  agentId: string,
  forMs: number,
  now: number,
): Promise<void> {
  return askUnlessCovered(queue, agentId, { name: "search", delayMs: 0, forMs }, now);
}

/**
 * Asks for it because not all could be listed at once, with one message in a while. Never rejects: whoever searches next
 * has it listed again.
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

/** Asks for it because a conversation begins, with one message for many of them. Never rejects: a search looks for itself. */
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
