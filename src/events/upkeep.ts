import { z } from "zod";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { sleepAbout } from "../lib/sleep.ts";
import { MANAGED_ID } from "../skills/install/install-target.ts";
import { createAttempt } from "../workspace/retry.ts";
import { type PruneVersions, pruneVersions, sweepVersions, type VersionStore } from "../workspace/versions.ts";

const pruneMessage: z.ZodType<PruneVersions> = z.object({
  kind: z.literal("prune-versions"),
  agentId: z.union([z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), z.literal(MANAGED_ID)]),
  path: z.string().min(1),
});

/** The messages that name the same file. */
interface PruneJob {
  agentId: string;
  path: string;
  messages: Message[];
}

/**
 * Deletes file versions older than 30 days: those of the named files, and once a day those of all files of their
 * agents. Each file is handled once per batch; only messages of files that failed are retried.
 */
export async function consumeUpkeep(
  messages: readonly Message[],
  env: Pick<Env, "FILES">,
  now: number = Date.now(),
): Promise<void> {
  const jobs = [...groupByFile(messages).values()];
  const storeOf = (agentId: string) => ({ bucket: env.FILES, attempt: createAttempt(sleepAbout), agentId });
  for (const job of jobs) {
    try {
      await pruneVersions(storeOf(job.agentId), job.path, now);
      for (const message of job.messages) message.ack();
    } catch (thrown) {
      log("warn", "upkeep.failed", { agentId: job.agentId, path: job.path, error: messageOf(thrown) });
      for (const message of job.messages) message.retry();
    }
  }
  for (const agentId of new Set(jobs.map((job) => job.agentId))) await sweep(storeOf(agentId), now);
}

/** Never rejects: the next message tries again. */
async function sweep(store: VersionStore, now: number): Promise<void> {
  try {
    await sweepVersions(store, now);
  } catch (thrown) {
    log("warn", "upkeep.sweep_failed", { agentId: store.agentId, error: messageOf(thrown) });
  }
}

function groupByFile(messages: readonly Message[]): Map<string, PruneJob> {
  const jobs = new Map<string, PruneJob>();
  for (const message of messages) {
    const asked = pruneMessage.safeParse(message.body);
    if (!asked.success) {
      log("warn", "upkeep.unknown_message", { messageId: message.id, error: z.prettifyError(asked.error) });
      message.ack();
      continue;
    }
    const { agentId, path } = asked.data;
    const key = `${agentId}/${path}`;
    const job = jobs.get(key) ?? { agentId, path, messages: [] };
    job.messages.push(message);
    jobs.set(key, job);
  }
  return jobs;
}
