import { drizzle } from "drizzle-orm/d1";
import { z } from "zod";
import { deadLetters } from "../db/schema.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import type { IndexMemory } from "../services/memory/request-indexing.ts";
import type { PruneVersions } from "../workspace/versions.ts";
import type { RunSlots } from "./due-slots.ts";
import { consumeIndexing } from "./indexing.ts";
import { QUEUES } from "./queue-names.ts";
import { consumeUpkeep } from "./upkeep.ts";

/** Every message that the Worker sends to one of its queues carries its kind. */
type QueueMessage = IndexMemory | PruneVersions | RunSlots;

const kinds = ["index-memory", "prune-versions", "run-slots"] as const satisfies readonly QueueMessage["kind"][];
const anyMessage = z.object({ kind: z.enum(kinds) });

/** Most characters of a dead letter that are kept. */
const MAX_BODY_CHARS = 4000;

/**
 * Consumes a batch of one of the Worker's queues. Messages are dispatched by their kind; each consumer validates the
 * rest. A message of unknown kind is retried, as a newer version may know it, and ends among the dead letters, which
 * are kept in D1 for the doctor and `GET /v1/schedule`.
 */
export async function consumeQueue(batch: MessageBatch, env: Env, ctx: ExecutionContext): Promise<void> {
  if (batch.queue === QUEUES.dead) return keepDead(batch, env);
  const byKind = Map.groupBy(batch.messages, ({ body }) => anyMessage.safeParse(body).data?.kind);
  for (const message of byKind.get(undefined) ?? []) {
    log("warn", "queue.unknown_message", { messageId: message.id, queue: batch.queue });
    message.retry();
  }
  const slots = byKind.get("run-slots") ?? [];
  if (slots.length > 0) {
    const { consumeSlots } = await import("./slots.ts");
    await consumeSlots(slots, env, ctx);
  }
  await consumeUpkeep(byKind.get("prune-versions") ?? [], env);
  await consumeIndexing(byKind.get("index-memory") ?? [], env, ctx);
}

/** Keeps what no consumer could handle. If D1 does not answer, the queue brings it again. */
async function keepDead({ messages, queue }: MessageBatch, { DB }: Pick<Env, "DB">): Promise<void> {
  const rows = messages.map(({ id, body, timestamp }) => {
    return { id, queue, body: head(JSON.stringify(body) ?? "", MAX_BODY_CHARS), at: timestamp.getTime() };
  });
  for (const { id } of messages) log("error", "queue.dead_letter", { messageId: id });
  await drizzle(DB).insert(deadLetters).values(rows).onConflictDoNothing();
  for (const message of messages) message.ack();
}
