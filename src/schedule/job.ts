import { z } from "zod";
import { thinking } from "../config/model-schema.ts";
import { isAgentId } from "../config/session-key.ts";
import type { Schedule } from "./schedule.ts";

/** Shortest distance between two runs of a job: the clock ticks every minute. */
export const MIN_EVERY_MS = 60_000;
const MAX_EVERY_MS = 10 * 366 * 86_400_000;
/** The instants that a `Date` can hold. */
const MAX_INSTANT_MS = 8.64e15;

const schedule = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("at"), at: z.string().min(1).max(64) }),
  z.strictObject({
    kind: z.literal("every"),
    everyMs: z.int().min(MIN_EVERY_MS, "use at least 60000, which is a minute").max(MAX_EVERY_MS),
    anchorMs: z.int().min(0).max(MAX_INSTANT_MS).optional(),
  }),
  z.strictObject({
    kind: z.literal("cron"),
    expr: z.string().min(1).max(200),
    tz: z.string().min(1).max(64).optional(),
  }),
]) satisfies z.ZodType<Schedule>;

const payload = z.discriminatedUnion("kind", [
  /** A text that the agent is told in its session, such as a reminder. */
  z.strictObject({ kind: z.literal("systemEvent"), text: z.string().min(1).max(16_000) }),
  /** A task. */
  z.strictObject({
    kind: z.literal("agentTurn"),
    message: z.string().min(1).max(16_000),
    model: z.string().min(1).max(200).optional(),
    thinking: thinking.optional(),
    timeoutSeconds: z.int().min(0).max(86_400).optional(),
    lightContext: z.boolean().optional(),
  }),
]);

const delivery = z.strictObject({
  mode: z.enum(["none", "announce", "webhook"]),
  /** `last`, or a channel's id. */
  channel: z.string().min(1).max(64).optional(),
  /** The conversation on the channel; the address of a webhook. */
  to: z.string().min(1).max(2000).optional(),
  accountId: z.string().min(1).max(64).optional(),
  threadId: z.string().min(1).max(64).optional(),
  /** Who is written to at `to`, if that is a direct conversation whose id is not theirs. */
  peerId: z.string().min(1).max(300).optional(),
  /** Accepted from OpenClaw: what cannot be delivered never fails a job here. */
  bestEffort: z.boolean().optional(),
});

const SESSION_TARGET = /^(?:main|isolated|session:[a-z0-9][a-z0-9._-]{0,63})$/;
const sessionTarget = z.string().regex(SESSION_TARGET, "use main, isolated, or session:<name>");

/** Whether a job can run there: `main`, `isolated`, or `session:<name>`. */
export function isSessionTarget(text: string): boolean {
  return SESSION_TARGET.test(text);
}

/** The fields of a job that its maker gives, in the shape of OpenClaw's `jobs.json`. */
export const jobFields = z.strictObject({
  agentId: z.string().refine(isAgentId, "use an agent's id").optional(),
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2000).optional(),
  enabled: z.boolean().default(true),
  schedule,
  sessionTarget: sessionTarget.optional(),
  wakeMode: z.enum(["now", "next-heartbeat"]).default("now"),
  payload,
  delivery: delivery.optional(),
  deleteAfterRun: z.boolean().optional(),
});

export type JobFields = z.output<typeof jobFields>;
export type JobDelivery = z.output<typeof delivery>;

/** A job as it is stored: nothing is left to a default. */
export type Job = Omit<JobFields, "agentId" | "sessionTarget" | "delivery" | "deleteAfterRun"> & {
  agentId: string;
  sessionTarget: string;
  delivery: JobDelivery;
  deleteAfterRun: boolean;
};

/**
 * A job with its defaults: an event goes to the main session and a task to a session of its own, what they say is
 * announced, and what runs once is deleted when it has run.
 */
export function completeJob(fields: JobFields, agentId: string, now: number): Job {
  const { schedule: given, payload: told } = fields;
  const isOnce = given.kind === "at";
  return {
    ...fields,
    agentId: fields.agentId ?? agentId,
    schedule: given.kind === "every" ? { ...given, anchorMs: given.anchorMs ?? now } : given,
    sessionTarget: fields.sessionTarget ?? (told.kind === "systemEvent" ? "main" : "isolated"),
    delivery: fields.delivery ?? { mode: "announce" },
    deleteAfterRun: fields.deleteAfterRun ?? isOnce,
  };
}
