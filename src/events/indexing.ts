import { z } from "zod";
import { agentIds, agentOf } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { createServices } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";
import { clearMemory } from "../services/memory/clear-memory.ts";
import type { IndexMemory } from "../services/memory/request-indexing.ts";

/** Time budget for one message; the rest is left to another message. */
const BUDGET_MS = 20_000;
/** Seconds before a failed message is retried, times its attempts. */
const RETRY_SECONDS = 30;

const indexMessage = z.object({
  kind: z.literal("index-memory"),
  agentId: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  fruitless: z.int().min(0).default(0),
}) satisfies z.ZodType<IndexMemory>;

/** The index messages of one agent. */
interface IndexingJob {
  /** The smallest count among the messages: a fresh request makes the work worth trying. */
  fruitless: number;
  messages: Message[];
}

/**
 * Updates memory indexes, once per agent however many messages name it. A repeated message finds nothing left to do; a
 * failed one is retried. Clears the index of an agent that is no longer configured or has no memory.
 */
export async function consumeIndexing(messages: readonly Message[], env: Env, ctx: ExecutionContext): Promise<void> {
  const jobs = groupByAgent(messages);
  if (jobs.size === 0) return;
  await knowConfiguration(env, Date.now());
  for (const [agentId, job] of jobs) await runJob(agentId, job, env, ctx);
}

/** Never rejects: a failure of one agent does not affect the next. */
async function runJob(
  agentId: string,
  { fruitless, messages }: IndexingJob,
  env: Env,
  ctx: ExecutionContext,
): Promise<void> {
  try {
    const services = createServices(env, (promise) => ctx.waitUntil(promise));
    const agent = agentIds(services.config).includes(agentId) ? agentOf(services.config, agentId) : undefined;
    const options = { budgetMs: BUDGET_MS, fruitless };
    if (agent?.memorySearch.enabled) await services.memoryOf(agent).index({ force: false, ...options });
    else await clearMemory({ env, agentId, host: services.host, now: Date.now }, options);
    for (const message of messages) message.ack();
  } catch (thrown) {
    log("warn", "indexing.failed", { agentId, error: messageOf(thrown) });
    for (const message of messages) message.retry({ delaySeconds: RETRY_SECONDS * message.attempts });
  }
}

function groupByAgent(messages: readonly Message[]): Map<string, IndexingJob> {
  const jobs = new Map<string, IndexingJob>();
  for (const message of messages) {
    const asked = indexMessage.safeParse(message.body);
    if (!asked.success) {
      log("warn", "indexing.unknown_message", { messageId: message.id, error: z.prettifyError(asked.error) });
      message.ack();
      continue;
    }
    const { agentId, fruitless } = asked.data;
    const job = jobs.get(agentId) ?? { fruitless, messages: [] };
    job.fruitless = Math.min(job.fruitless, fruitless);
    job.messages.push(message);
    jobs.set(agentId, job);
  }
  return jobs;
}
