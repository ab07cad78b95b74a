import { IsopodError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { weekdayTime } from "../../lib/zone.ts";
import { usdOf } from "../../models/price.ts";
import { completeJob, type Job, type JobFields, jobFields, MIN_EVERY_MS } from "../../schedule/job.ts";
import { nextRuns, type Schedule, ScheduleError } from "../../schedule/schedule.ts";
import {
  changeEntry,
  findEntry,
  listEntries,
  listJobRuns,
  makeDueNow,
  removeEntry,
  saveEntry,
} from "../../schedule/schedule-store.ts";
import { jobEntryId, jobIdOf, newEntry, type ScheduleEntry } from "../../schedule/slots.ts";

/** Most jobs of one agent. */
export const MAX_JOBS = 200;
/** How many of a job's next runs are shown. */
const SHOWN_RUNS = 3;

/** What jobs are kept in, and what brings one that is to run at once to its session. */
export interface JobsDeps {
  database: D1Database;
  queue: Pick<Queue, "send">;
  now(): number;
}

/** Who asks: the agent, its zone, and who is written down as the maker. */
export interface JobsScope {
  agentId: string;
  zone: string;
  by: string;
}

/** A job as clients and the agent see it. Times are ISO 8601, and local where a zone stands beside them. */
export interface JobView extends Job {
  id: string;
  /** The next runs in the user's zone, the first of them exactly as well. */
  nextRunAt: string | null;
  next: string[];
  zone: string;
  lastRunAt: string | null;
  lastStatus: ScheduleEntry["lastStatus"];
  lastReason: string | null;
  lastRunId: string | null;
  /** Failures in a row. */
  failures: number;
  /** How many of its runs have ended, and what they have cost, in US dollars. */
  runs: number;
  costUsd: number;
  createdAt: string;
}

/**
 * Stores a job. @throws IsopodError `invalid_request` naming the field, `conflict` where the id is taken, `rate_limited`
 * where the agent has too many
 */
export async function createJob(given: unknown, scope: JobsScope, deps: JobsDeps, id?: string): Promise<JobView> {
  const entry = await newJob(given, scope, deps, id);
  await saveEntry(deps.database, entry);
  return jobView(entry, scope.zone);
}

/** The row of a job that is not there yet; nothing is stored. @throws IsopodError as `createJob` */
async function newJob(
  given: unknown,
  { agentId, zone, by }: JobsScope,
  deps: JobsDeps,
  id: string = newId("job", deps.now()),
): Promise<ScheduleEntry> {
  const now = deps.now();
  const job = completeJob(checkedFields(given), agentId, now);
  const others = await listEntries(deps.database, { agentId: job.agentId, kind: "job", limit: MAX_JOBS });
  if (others.length >= MAX_JOBS) {
    throw new IsopodError("rate_limited", `The agent has ${MAX_JOBS} jobs, and no more.`, "Remove one first.");
  }
  if (await findEntry(deps.database, jobEntryId(id))) {
    throw new IsopodError("conflict", `id: there is a job '${id}'`, "Change it with PATCH /v1/jobs/{id}.");
  }
  const entry = planned(
    { ...newEntry({ id: jobEntryId(id), kind: "job", agentId: job.agentId, createdBy: by }, now), job },
    zone,
    now,
  );
  if (entry.dueAt === null && job.enabled) throw pastTime(job.schedule);
  return entry;
}

/** What became of the jobs of an OpenClaw. */
export interface JobsTakenOver {
  /** Jobs that are new here. */
  jobs: JobView[];
  /** Ids of those that are there already; they stay as they are. */
  kept: string[];
  /** Those that cannot be taken over. */
  refused: { id: string; why: string }[];
}

/** Stores jobs of an OpenClaw, or only says which would be. One that cannot come does not stop others. */
export async function takeOverJobs(
  come: readonly { id: string; job: JobFields }[],
  scopeOf: (agentId: string | undefined) => JobsScope,
  { isDry }: { isDry: boolean },
  deps: JobsDeps,
): Promise<JobsTakenOver> {
  const taken: JobsTakenOver = { jobs: [], kept: [], refused: [] };
  for (const { id, job } of come) {
    try {
      const scope = scopeOf(job.agentId);
      const make = isDry ? newJob(job, scope, deps, id).then((entry) => jobView(entry, scope.zone)) : undefined;
      taken.jobs.push(await (make ?? createJob(job, scope, deps, id)));
    } catch (error) {
      if (!(error instanceof IsopodError)) throw error;
      if (error.code === "conflict") taken.kept.push(id);
      else taken.refused.push({ id, why: error.message });
    }
  }
  return taken;
}

/** Changes fields of a job. @throws IsopodError `not_found`, or as `createJob` */
export async function updateJob(
  id: string,
  change: Record<string, unknown>,
  { agentId, zone }: JobsScope,
  deps: JobsDeps,
): Promise<JobView> {
  const entry = await requireJob(id, agentId, deps);
  const now = deps.now();
  const { agentId: _, ...fields } = entry.job as Job;
  const job = { ...completeJob(checkedFields({ ...fields, ...change }), entry.agentId, now), agentId: entry.agentId };
  if (isSameTime(job, entry.job as Job)) {
    // Its next slot stays, which may be on its way to its session.
    await changeEntry(deps.database, entry.id, { job, updatedAt: now });
    return jobView({ ...entry, job }, zone);
  }
  const next = planned({ ...entry, job, failures: 0, updatedAt: now }, zone, now);
  if (next.dueAt === null && job.enabled) throw pastTime(job.schedule);
  const { dueAt, readyAt, failures, updatedAt } = next;
  await changeEntry(deps.database, entry.id, { job, dueAt, readyAt, failures, updatedAt });
  return jobView(next, zone);
}

function isSameTime(job: Job, before: Job): boolean {
  return job.enabled === before.enabled && JSON.stringify(job.schedule) === JSON.stringify(before.schedule);
}

/** Removes a job. @throws IsopodError `not_found` */
export async function removeJob(id: string, { agentId }: JobsScope, deps: JobsDeps): Promise<void> {
  const entry = await requireJob(id, agentId, deps);
  await removeEntry(deps.database, entry.id);
}

/** Lets a job run at once, besides its times. @throws IsopodError `not_found` */
export async function runJobNow(id: string, { agentId }: JobsScope, deps: JobsDeps): Promise<void> {
  const entry = await requireJob(id, agentId, deps);
  if (!(entry.job as Job).enabled) {
    throw new IsopodError("conflict", "The job is paused.", "Switch it on first: enabled is true then.");
  }
  await startNow(entry.id, deps);
}

/** Makes a row of the schedule due and hands it to the queue. False if there is no such row. */
export async function startNow(entryId: string, { database, queue, now }: JobsDeps): Promise<boolean> {
  const at = now();
  const slot = await makeDueNow(database, entryId, at);
  if (slot === undefined) return false;
  await queue.send({ kind: "run-slots", at, slots: [slot] });
  return true;
}

/** A job of an agent, or of any. @throws IsopodError `not_found` */
export async function findJob(id: string, { agentId, zone }: JobsScope, deps: JobsDeps): Promise<JobView> {
  return jobView(await requireJob(id, agentId, deps), zone);
}

/** The jobs of an agent, the oldest first. */
export async function listJobs({ agentId, zone }: JobsScope, { database }: JobsDeps): Promise<JobView[]> {
  const rows = await listEntries(database, { agentId, kind: "job", limit: MAX_JOBS });
  return rows.map((entry) => jobView(entry, zone));
}

/** One run of a job. */
export interface JobRunView {
  slotAt: string;
  startedAt: string;
  endedAt: string | null;
  status: string;
  reason: string | null;
  runId: string | null;
  sessionKey: string | null;
  /** Estimated, in US dollars; null where the model has no price, or before the end. */
  usd: number | null;
}

/** The runs of a job, the latest first. @throws IsopodError `not_found` */
export async function jobHistory(id: string, scope: JobsScope, deps: JobsDeps, limit: number): Promise<JobRunView[]> {
  const { database } = deps;
  const rows = await listJobRuns(database, jobEntryId(id), limit);
  if (rows.length === 0) await requireJob(id, scope.agentId, deps);
  return rows.map((row) => ({
    slotAt: iso(row.slotAt),
    startedAt: iso(row.at),
    endedAt: row.endedAt === null ? null : iso(row.endedAt),
    status: row.status,
    reason: row.reason,
    runId: row.runId,
    sessionKey: row.sessionKey,
    usd: row.costMicros === null ? null : row.costMicros / 1_000_000,
  }));
}

async function requireJob(id: string, agentId: string, { database }: JobsDeps): Promise<ScheduleEntry> {
  const entry = await findEntry(database, jobEntryId(id));
  if (entry !== undefined && (agentId === "" || entry.agentId === agentId)) return entry;
  throw new IsopodError("not_found", `There is no job '${id}'`, "List the jobs to see their ids.");
}

/** @throws IsopodError `invalid_request` naming the field and the fix */
function checkedFields(given: unknown): JobFields {
  const parsed = jobFields.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join(".") || "job";
    throw new IsopodError("invalid_request", `${field}: ${issue?.message ?? "cannot be read"}`, FORM, { param: field });
  }
  const { delivery } = parsed.data;
  if (delivery?.mode === "webhook" && !/^https?:\/\//.test(delivery.to ?? "")) {
    throw new IsopodError("invalid_request", "delivery.to: a webhook needs its address", FORM, {
      param: "delivery.to",
    });
  }
  return parsed.data;
}

const FORM =
  'A job looks like {"name": "Tea", "schedule": {"kind": "at", "at": "2026-11-23T20:17:00+01:00"}, "payload": {"kind": "systemEvent", "text": "The tea is ready"}}.';

/** A row with its next run. @throws IsopodError `invalid_request` for a schedule that cannot be */
function planned(entry: ScheduleEntry, zone: string, now: number): ScheduleEntry {
  const { schedule, enabled } = entry.job as Job;
  try {
    const [first, second] = nextRuns(schedule, now, zone, 2);
    if (first !== undefined && second !== undefined && second - first < MIN_EVERY_MS) {
      throw new ScheduleError("expr", "it would run more than once a minute, which is the shortest interval");
    }
    const dueAt = enabled ? (first ?? null) : null;
    return { ...entry, dueAt, readyAt: dueAt };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const param = `schedule.${error.field}`;
    throw new IsopodError("invalid_request", `${param}: ${error.message}`, FORM, { param });
  }
}

function pastTime(schedule: Schedule): IsopodError {
  const when = schedule.kind === "at" ? schedule.at : "the schedule";
  return new IsopodError("invalid_request", `schedule: ${when} has passed; it would never run`, "Use a later time.", {
    param: "schedule",
  });
}

/** A row as clients see it. */
export function jobView(entry: ScheduleEntry, zone: string): JobView {
  const job = entry.job as Job;
  const at = entry.dueAt;
  const shownZone = job.schedule.kind === "cron" ? (job.schedule.tz ?? zone) : zone;
  const later = at === null ? [] : nextRuns(job.schedule, at, zone, SHOWN_RUNS - 1);
  return {
    id: jobIdOf(entry.id),
    ...job,
    nextRunAt: at === null ? null : iso(at),
    next: (at === null ? [] : [at, ...later]).map((time) => weekdayTime(time, shownZone)),
    zone: shownZone,
    lastRunAt: entry.lastSlotAt === null ? null : iso(entry.lastSlotAt),
    lastStatus: entry.lastStatus,
    lastReason: entry.lastReason,
    lastRunId: entry.lastRunId,
    failures: entry.failures,
    runs: entry.runs,
    costUsd: usdOf(entry.costMicros),
    createdAt: iso(entry.createdAt),
  };
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
