import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { desc } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Context } from "hono";
import { agentIds, agentOf, heartbeatOf } from "../config/agents.ts";
import { deadLetters } from "../db/schema.ts";
import { weekdayTime } from "../lib/zone.ts";
import { usdOf } from "../models/price.ts";
import { nextHeartbeat } from "../schedule/heartbeat-times.ts";
import type { Job } from "../schedule/job.ts";
import { nextRun } from "../schedule/schedule.ts";
import { listEntries } from "../schedule/schedule-store.ts";
import { jobIdOf, type ScheduleEntry } from "../schedule/slots.ts";
import { showHeartbeat, wakeHeartbeat } from "../services/schedule/heartbeats.ts";
import type { JobsDeps, JobsScope } from "../services/schedule/jobs.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { wholeNumber } from "./query-schema.ts";
import { smallBody } from "./request-body.ts";
import { heartbeat, schedule } from "./schedule-schema.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_SPAN_MS = 31 * DAY_MS;
const MAX_ENTRIES = 1000;
/** Most slots of one row, and of all. */
const MAX_SLOTS_OF_ONE = 24;
const MAX_SLOTS = 1000;
const MAX_DEAD = 20;

const scheduleRoute = createRoute({
  method: "get",
  path: "/schedule",
  summary: "What runs when: heartbeats and jobs, with how their last slots ended",
  description:
    "`from` and `to` are milliseconds since the epoch; the next 24 hours where absent. At most 24 slots of one row are listed, and 1,000 rows. A slot that was left out has its reason. `deadLetters` are messages of queues that no consumer could handle.",
  request: {
    query: z.strictObject({
      from: wholeNumber({ min: 0 }).optional(),
      to: wholeNumber({ min: 0 }).optional(),
      agentId: z.string().optional(),
    }),
  },
  responses: {
    200: {
      description: "The slots in order, and the rows they are of",
      content: {
        "application/json": {
          schema: schedule,
        },
      },
    },
  },
});

const params = z.object({ agentId: z.string() });
const showRoute = createRoute({
  method: "get",
  path: "/heartbeats/{agentId}",
  summary: "Show the heartbeat of an agent",
  request: { params },
  responses: { 200: { description: "Its state", content: { "application/json": { schema: heartbeat } } } },
});

const wakeRoute = createRoute({
  method: "post",
  path: "/heartbeats/{agentId}/wake",
  middleware: smallBody,
  summary: "Let the heartbeat of an agent run now, or bring it a text with the next one",
  request: {
    params,
    body: {
      content: {
        "application/json": {
          schema: z.strictObject({
            text: z.string().min(1).max(16_000).optional(),
            mode: z.enum(["now", "next-heartbeat"]).default("now"),
          }),
        },
      },
    },
  },
  responses: { 202: { description: "Handed over", content: { "application/json": { schema: heartbeat } } } },
});

/** `/v1/schedule` and `/v1/heartbeats`. */
export const scheduleRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

scheduleRoutes.openapi(scheduleRoute, async (c) => {
  const { from = Date.now(), to = from + DAY_MS, agentId } = c.req.valid("query");
  const services = c.get("services");
  const rows = await listEntries(c.env.DB, { agentId, limit: MAX_ENTRIES });
  const until = Math.min(to, from + MAX_SPAN_MS);
  const slots = rows.flatMap((row) => slotsOf(row, services, from, until)).sort((a, b) => a.instant - b.instant);
  const dead = await drizzle(c.env.DB).select().from(deadLetters).orderBy(desc(deadLetters.at)).limit(MAX_DEAD);
  return c.json(
    {
      slots: slots.slice(0, MAX_SLOTS).map(({ instant: _, ...shown }) => shown),
      entries: rows.map((row) => ({
        ...headOf(row),
        state: isOn(row, services) ? ("on" as const) : ("off" as const),
        lastAt: row.lastSlotAt === null ? null : new Date(row.lastSlotAt).toISOString(),
        lastStatus: row.lastStatus,
        lastReason: row.lastReason,
        lastRunId: row.lastRunId,
        failures: row.failures,
        runs: row.runs,
        costUsd: usdOf(row.costMicros),
      })),
      costUsd: costByAgent(rows),
      deadLetters: dead.map(({ id, body, at }) => ({ id, body, at })),
    },
    200,
  );
});

scheduleRoutes.openapi(showRoute, async (c) => {
  return c.json(await showHeartbeat(c.get("services").config, scopeOf(c, c.req.valid("param").agentId), deps(c)), 200);
});

scheduleRoutes.openapi(wakeRoute, async (c) => {
  const { config } = c.get("services");
  const scope = scopeOf(c, c.req.valid("param").agentId);
  const { text, mode = "now" } = c.req.valid("json") ?? {};
  await wakeHeartbeat(config, scope, { text, mode }, deps(c));
  return c.json(await showHeartbeat(config, scope, deps(c)), 202);
});

function costByAgent(rows: readonly ScheduleEntry[]): Record<string, number> {
  const micros = new Map<string, number>();
  for (const { agentId, costMicros } of rows) micros.set(agentId, (micros.get(agentId) ?? 0) + costMicros);
  return Object.fromEntries([...micros].map(([agentId, sum]) => [agentId, usdOf(sum)]));
}

function deps({ env }: Context<AppEnv>): JobsDeps {
  return { database: env.DB, queue: env.SCHEDULE, now: Date.now };
}

function scopeOf(c: Context<AppEnv>, agentId: string): JobsScope {
  agentOf(c.get("services").config, agentId);
  return { agentId, zone: zoneOf(agentId, c.get("services")), by: "api" };
}

function zoneOf(agentId: string, services: Services): string {
  return agentIn(services, agentId).defaults.userTimezone ?? "UTC";
}

function headOf(row: ScheduleEntry) {
  const { kind, agentId } = row;
  if (kind === "heartbeat") return { kind, agentId, name: "Heartbeat" };
  return { kind, agentId, jobId: jobIdOf(row.id), name: (row.job as Job).name };
}

/** Whether a row has slots: its agent is there, and it is not switched off. */
function isOn(row: ScheduleEntry, { config }: Services): boolean {
  if (!agentIds(config).includes(row.agentId)) return false;
  if (row.kind === "heartbeat") return !row.isOff && heartbeatOf(config, row.agentId) !== undefined;
  return (row.job as Job).enabled && config.cron.enabled;
}

function slotsOf(row: ScheduleEntry, services: Services, from: number, to: number) {
  if (row.dueAt === null || !isOn(row, services)) return [];
  const zone = zoneOf(row.agentId, services);
  const slots: { instant: number }[] = [];
  for (let at: number | undefined = row.dueAt; at !== undefined && at <= to && slots.length < MAX_SLOTS_OF_ONE; ) {
    if (at >= from) slots.push({ instant: at });
    at = nextOf(row, services, zone, Math.max(at, from - 1));
  }
  return slots.map(({ instant }) => ({
    instant,
    at: new Date(instant).toISOString(),
    local: weekdayTime(instant, zone),
    ...headOf(row),
  }));
}

function nextOf(row: ScheduleEntry, { config }: Services, zone: string, after: number): number | undefined {
  if (row.kind === "job") return nextRun((row.job as Job).schedule, after, zone);
  const block = heartbeatOf(config, row.agentId);
  return block && nextHeartbeat(block, row.agentId, zone, after);
}
