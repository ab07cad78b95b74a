import type { Target } from "../channels/channel.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { isSessionTarget } from "../schedule/job.ts";
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
  const here = ({ payload }: JsonObject): JsonObject => {
    const isReminder = (payload as JsonObject | undefined)?.kind === "systemEvent";
    return { ...deliveredHere(row.target), ...(isReminder && inSession(session.key)) };
  };
  return {
    list: () => orSay(async () => (await listJobs(scope, deps)).map(line)),
    add: (job) => orSay(async () => line(await createJob({ ...here(job), ...job }, scope, deps))),
    update: (id, change) => orSay(async () => line(await updateJob(id, change, scope, deps))),
    remove: (id) => orSay(() => removeJob(id, scope, deps)),
    run: (id) => orSay(() => runJobNow(id, scope, deps)),
    runs: (id) => orSay(() => jobHistory(id, scope, deps, SHOWN_RUNS)),
  };
}

/** The delivery to the conversation that a run answers; nothing where only the session reads it. */
export function deliveredHere(target: Target | null): { delivery?: JsonObject } {
  if (target === null) return {};
  const { channel, conversationId: to, accountId, threadId, peerId } = target;
  const thread = threadId === undefined ? {} : { threadId };
  const peer = peerId === undefined ? {} : { peerId };
  return { delivery: { mode: "announce", channel, to, accountId, ...thread, ...peer } };
}

/** The session of a reminder that is set in one with a name of its own, so that it comes where it was asked for. */
export function inSession(sessionKey: string): { sessionTarget?: string } {
  const name = /^agent:[^:]+:([^:]+)$/.exec(sessionKey)?.[1] ?? "main";
  const sessionTarget = `session:${name}`;
  return name === "main" || !isSessionTarget(sessionTarget) ? {} : { sessionTarget };
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
