import { z } from "zod";
import { agentIds, agentOf } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { createServices } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";
import { clearMemory } from "../services/memory/clear-memory.ts";
import type { IndexMemory } from "../services/memory/request-indexing.ts";

/** For how long one message's work may go on; what is left then is another message's. */
const BUDGET_MS = 20_000;
/** How long a message that failed waits, in seconds, as often as it was tried. */
const RETRY_SECONDS = 30;

const indexMessage = z.object({
  kind: z.literal("index-memory"),
  agentId: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  fruitless: z.int().min(0).default(0),
}) satisfies z.ZodType<IndexMemory>;

/** The messages of one agent. */
interface Job {
  /** Of the message that knows of least: a new one makes the work worth trying. */
  fruitless: number;
  messages: Message[];
}

/**
 * Brings indexes of memories up to date: each agent's once, however many messages ask for it. A message may come twice:
 * then there is nothing left to do. One that failed comes again later. Of an agent that is not there any more, or has no memory any more, the
 * index is cleared away.
 */
export async function consumeIndexing(batch: MessageBatch, env: Env, ctx: ExecutionContext): Promise<void> {
  const jobs = jobsIn(batch.messages);
  if (jobs.size === 0) return;
  await knowConfiguration(env, Date.now());
  for (const [agentId, job] of jobs) await carryOut(agentId, job, env, ctx);
}

/** Never rejects: what one agent lacks is nothing to the next. */
async function carryOut(agentId: string, { fruitless, messages }: Job, env: Env, ctx: ExecutionContext): Promise<void> {
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

function jobsIn(messages: readonly Message[]): Map<string, Job> {
  const jobs = new Map<string, Job>();
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
