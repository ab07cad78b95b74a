import { z } from "@hono/zod-openapi";
import { jobFields } from "../schedule/job.ts";

/** The path of a job. */
export const jobId = z.object({ id: z.string().min(1).max(100) });
const text = z.string().nullable();
/** A job. */
export const job = z
  .object({
    ...jobFields.shape,
    id: z.string(),
    agentId: z.string(),
    sessionTarget: z.string(),
    nextRunAt: text,
    /** The next runs, in `zone`. */
    next: z.array(z.string()),
    zone: z.string(),
    lastRunAt: text,
    lastStatus: text,
    lastReason: text,
    lastRunId: text,
    failures: z.int(),
    runs: z.int(),
    costUsd: z.number(),
    createdAt: z.string(),
  })
  .openapi("Job");

export type JobView = z.infer<typeof job>;

/** A run of a job. */
export const jobRun = z
  .object({
    slotAt: z.string(),
    startedAt: z.string(),
    endedAt: text,
    status: z.string(),
    reason: text,
    runId: text,
    sessionKey: text,
    usd: z.number().nullable(),
  })
  .openapi("JobRun");
/** The body of `POST /v1/jobs`. */
export const body = jobFields
  .extend({
    id: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional(),
  })
  .openapi("JobFields");

/** What `POST /v1/import/jobs` answers. */
export const jobsTakenOver = z
  .object({
    jobs: z.array(job),
    /** Ids of those that are there already. */
    kept: z.array(z.string()),
    refused: z.array(z.object({ id: z.string(), why: z.string() })),
  })
  .openapi("JobsTakenOver");

export type JobsTakenOver = z.infer<typeof jobsTakenOver>;
