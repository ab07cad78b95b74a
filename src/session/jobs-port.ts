import type { Target } from "../channels/channel.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import {
  createJob,
  type JobsDeps,
  type JobsScope,
  type JobView,
  jobHistory,
  listJobs,
  removeJob,
  runJobNow,
  updateJob,
} from "../services/schedule/jobs.ts";
import type { JobLine, JobsPort } from "../tools/cron.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import type { TurnContext } from "../turn/turn-context.ts";

/** Most runs of a job that the model is shown. */
const SHOWN_RUNS = 10;

/** The agent's jobs, for a turn's tools. What a job says goes to the conversation in which it was set. */
export function jobsPort(
  { row }: Pick<ActiveRun, "row">,
  { agent, session }: Pick<TurnContext, "agent" | "session">,
  deps: JobsDeps,
): JobsPort {
  const zone = agent.defaults.userTimezone ?? "UTC";
  const scope: JobsScope = { agentId: agent.id, zone, by: `agent:${session.key}` };
  const { target } = row;
  const delivered = (job: JsonObject): JsonObject => ({ ...deliveredHere(target), ...job });
  return {
    list: () => orSay(async () => (await listJobs(scope, deps)).map(line)),
    add: (job) => orSay(async () => line(await createJob(delivered(job), scope, deps))),
    update: (id, change) => orSay(async () => line(await updateJob(id, change, scope, deps))),
    remove: (id) => orSay(() => removeJob(id, scope, deps)),
    run: (id) => orSay(() => runJobNow(id, scope, deps)),
    runs: (id) => orSay(() => jobHistory(id, scope, deps, SHOWN_RUNS)),
  };
}

/** The delivery to the conversation that a run answers; nothing where only the session reads it. */
export function deliveredHere(target: Target | null): { delivery?: JsonObject } {
  if (target === null) return {};
  const { channel, conversationId: to, accountId, threadId } = target;
  const thread = threadId === undefined ? {} : { threadId };
  return { delivery: { mode: "announce", channel, to, accountId, ...thread } };
}

function line({ id, name, enabled, schedule, next, zone, lastStatus, lastReason }: JobView): JobLine {
  return { id, name, enabled, schedule, next, zone, lastStatus, lastReason };
}

/** The refusal of a service as the tool says it. */
async function orSay<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    throw new Error([messageOf(error), error.hint].filter((part) => part !== undefined).join(" "));
  }
}
