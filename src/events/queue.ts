import { z } from "zod";
import { log } from "../lib/log.ts";
import type { IndexMemory } from "../services/memory/request-indexing.ts";
import type { PruneVersions } from "../workspace/versions.ts";
import { consumeIndexing } from "./indexing.ts";
import { consumeUpkeep } from "./upkeep.ts";

/** Every message that the Worker sends to one of its queues carries its kind. */
type QueueMessage = IndexMemory | PruneVersions;

const kinds = ["index-memory", "prune-versions"] as const satisfies readonly QueueMessage["kind"][];
const anyMessage = z.object({ kind: z.enum(kinds) });

/**
 * Consumes a batch of any of the Worker's queues. Messages are dispatched by their kind, not by the queue's name, which
 * differs between deployments. A message of unknown kind is logged and dropped; each consumer validates the rest.
 */
export async function consumeQueue(batch: MessageBatch, env: Env, ctx: ExecutionContext): Promise<void> {
  const byKind = Map.groupBy(batch.messages, ({ body }) => anyMessage.safeParse(body).data?.kind);
  for (const message of byKind.get(undefined) ?? []) {
    log("warn", "queue.unknown_message", { messageId: message.id, queue: batch.queue });
    message.ack();
  }
  await consumeUpkeep(byKind.get("prune-versions") ?? [], env);
  await consumeIndexing(byKind.get("index-memory") ?? [], env, ctx);
}
