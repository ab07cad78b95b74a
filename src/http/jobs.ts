import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { agentOf, defaultAgentId } from "../config/agents.ts";
import { importJobs } from "../migrate/openclaw/jobs.ts";
import { jobFields } from "../schedule/job.ts";
import {
  createJob,
  findJob,
  type JobsDeps,
  type JobsScope,
  jobHistory,
  listJobs,
  removeJob,
  runJobNow,
  takeOverJobs,
  updateJob,
} from "../services/schedule/jobs.ts";
import { agentIn } from "../services/services.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { body, job, jobId, jobRun, jobsTakenOver } from "./jobs-schema.ts";
import { wholeNumber } from "./query-schema.ts";
import { smallBody } from "./request-body.ts";

/** Largest `jobs.json`, in bytes. */
const MAX_IMPORT_BYTES = 1_048_576;

const oneJob = (description: string) => ({ description, content: { "application/json": { schema: job } } });

const listRoute = createRoute({
  method: "get",
  path: "/jobs",
  summary: "List the jobs of an agent, the oldest first",
  request: { query: z.strictObject({ agentId: z.string().optional() }) },
  responses: {
    200: { description: "All", content: { "application/json": { schema: z.object({ jobs: z.array(job) }) } } },
  },
});

const createJobRoute = createRoute({
  method: "post",
  path: "/jobs",
  middleware: smallBody,
  summary: "Add a job",
  description:
    "In the shape of OpenClaw's jobs. A time without an offset is the user's; `schedule.kind` `cron` takes five to seven fields, and where clocks change, croner's rules hold.",
  request: { body: { required: true, content: { "application/json": { schema: body } } } },
  responses: { 201: oneJob("Stored, with its next runs") },
});

const importRoute = createRoute({
  method: "post",
  path: "/import/jobs",
  middleware: bodyLimit({ maxSize: MAX_IMPORT_BYTES }),
  summary: "Take over the jobs of an OpenClaw's jobs.json",
  description:
    "A job that is there already stays as it is, and one that cannot be taken over does not stop the others. With `dryRun` nothing is stored.",
  request: {
    query: z.strictObject({ dryRun: z.enum(["true", "false"]).default("false") }),
    body: {
      required: true,
      content: { "application/json": { schema: z.looseObject({ jobs: z.array(z.unknown()) }) } },
    },
  },
  responses: {
    200: {
      description: "What came, what is kept, and what is refused and why",
      content: {
        "application/json": {
          schema: jobsTakenOver,
        },
      },
    },
  },
});

const showRoute = createRoute({
  method: "get",
  path: "/jobs/{id}",
  summary: "Show a job",
  request: { params: jobId },
  responses: { 200: oneJob("The job") },
});

const changeRoute = createRoute({
  method: "patch",
  path: "/jobs/{id}",
  middleware: smallBody,
  summary: "Change fields of a job, or pause it",
  request: {
    params: jobId,
    body: { required: true, content: { "application/json": { schema: jobFields.partial().omit({ agentId: true }) } } },
  },
  responses: { 200: oneJob("The job as it is now") },
});

const removeRoute = createRoute({
  method: "delete",
  path: "/jobs/{id}",
  summary: "Remove a job with its history",
  request: { params: jobId },
  responses: {
    200: { description: "Gone", content: { "application/json": { schema: z.object({ removed: z.string() }) } } },
  },
});

const runRoute = createRoute({
  method: "post",
  path: "/jobs/{id}/run",
  middleware: smallBody,
  summary: "Let a job run at once, besides its times",
  request: { params: jobId },
  responses: {
    202: { description: "Handed over", content: { "application/json": { schema: z.object({ started: z.string() }) } } },
  },
});

const runsRoute = createRoute({
  method: "get",
  path: "/jobs/{id}/runs",
  summary: "List the runs of a job with their cost, the latest first",
  request: { params: jobId, query: z.strictObject({ limit: wholeNumber({ min: 1, max: 200 }).default(50) }) },
  responses: {
    200: {
      description: "The runs that are kept",
      content: { "application/json": { schema: z.object({ runs: z.array(jobRun) }) } },
    },
  },
});

/** `/v1/jobs`. */
export const jobRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

jobRoutes.openapi(listRoute, async (c) => {
  const { agentId } = c.req.valid("query");
  return c.json(
    { jobs: await listJobs(scopeOf(c, agentId ?? defaultAgentId(c.get("services").config)), deps(c)) },
    200,
  );
});

jobRoutes.openapi(createJobRoute, async (c) => {
  const { id, ...fields } = c.req.valid("json");
  const scope = scopeOf(c, fields.agentId ?? defaultAgentId(c.get("services").config));
  return c.json(await createJob(fields, scope, deps(c), id), 201);
});

jobRoutes.openapi(importRoute, async (c) => {
  const isDry = c.req.valid("query").dryRun === "true";
  const scope = (agentId: string | undefined) => scopeOf(c, agentId ?? defaultAgentId(c.get("services").config));
  const { come, report } = importJobs(c.req.valid("json"), scope(undefined).zone, Date.now());
  const { refused, ...taken } = await takeOverJobs(come, scope, { isDry }, deps(c));
  return c.json({ ...taken, refused: [...report, ...refused] }, 200);
});

jobRoutes.openapi(showRoute, async (c) => c.json(await findJob(c.req.valid("param").id, anyScope(c), deps(c)), 200));

jobRoutes.openapi(changeRoute, async (c) => {
  // What the body leaves out stays as it is, where the schema would give it a default.
  const change = (await c.req.json()) as Record<string, unknown>;
  return c.json(await updateJob(c.req.valid("param").id, change, anyScope(c), deps(c)), 200);
});

jobRoutes.openapi(removeRoute, async (c) => {
  const { id } = c.req.valid("param");
  await removeJob(id, anyScope(c), deps(c));
  return c.json({ removed: id }, 200);
});

jobRoutes.openapi(runRoute, async (c) => {
  const { id } = c.req.valid("param");
  await runJobNow(id, anyScope(c), deps(c));
  return c.json({ started: id }, 202);
});

jobRoutes.openapi(runsRoute, async (c) => {
  const { id } = c.req.valid("param");
  return c.json({ runs: await jobHistory(id, anyScope(c), deps(c), c.req.valid("query").limit) }, 200);
});

function deps({ env }: Context<AppEnv>): JobsDeps {
  return { database: env.DB, queue: env.SCHEDULE, now: Date.now };
}

/** The jobs of one agent. @throws IsopodError `not_found` for an agent that is not configured */
function scopeOf(c: Context<AppEnv>, agentId: string): JobsScope {
  const services = c.get("services");
  agentOf(services.config, agentId);
  return { agentId, zone: agentIn(services, agentId).defaults.userTimezone ?? "UTC", by: "api" };
}

/** A job by its id, whichever agent it is of. */
function anyScope(c: Context<AppEnv>): JobsScope {
  const { zone, by } = scopeOf(c, defaultAgentId(c.get("services").config));
  return { agentId: "", zone, by };
}
