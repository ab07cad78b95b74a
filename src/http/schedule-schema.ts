import { z } from "@hono/zod-openapi";

const text = z.string().nullable();

const slot = z
  .object({
    at: z.string(),
    /** In the agent's zone. */
    local: z.string(),
    kind: z.enum(["heartbeat", "job"]),
    agentId: z.string(),
    jobId: z.string().optional(),
    name: z.string(),
  })
  .openapi("Slot");

const entry = z
  .object({
    kind: z.enum(["heartbeat", "job"]),
    agentId: z.string(),
    jobId: z.string().optional(),
    name: z.string(),
    state: z.enum(["on", "off"]),
    lastAt: z.string().nullable(),
    lastStatus: z.string().nullable(),
    lastReason: z.string().nullable(),
    lastRunId: z.string().nullable(),
    failures: z.int(),
    runs: z.int().openapi({ description: "How many of its runs have ended." }),
    costUsd: z.number().openapi({ description: "Their estimated cost in US dollars." }),
  })
  .openapi("ScheduleEntry");

/** What `GET /v1/schedule` answers. */
export const schedule = z.object({
  slots: z.array(slot),
  entries: z.array(entry),
  /** What the runs of each agent's entries have cost so far, in US dollars. */
  costUsd: z.record(z.string(), z.number()),
  deadLetters: z.array(z.object({ id: z.string(), body: z.string(), at: z.int() })),
});

export type Schedule = z.infer<typeof schedule>;

/** The heartbeat of an agent. */
export const heartbeat = z
  .object({
    agentId: z.string(),
    state: z.enum(["on", "off", "none"]),
    every: text,
    nextAt: text,
    next: text,
    zone: z.string(),
    lastAt: text,
    lastStatus: text,
    lastReason: text,
    lastRunId: text,
    failures: z.int(),
    runs: z.int(),
    costUsd: z.number(),
  })
  .openapi("Heartbeat");

export type Heartbeat = z.infer<typeof heartbeat>;
