import { z } from "zod";
import { isZone } from "../lib/zone.ts";
import { planned } from "./field-marks.ts";
import { thinking } from "./model-schema.ts";
import { secretRef } from "./secret-ref.ts";
import { isAgentId } from "./session-key.ts";

/** A span of time as people write it: `30m`, `2h`, `0m`. */
export const duration = z.string().regex(/^\d{1,6}(s|m|h|d)$/, "use a number and s, m, h or d, such as 30m");

/** A time of day: `08:00`. */
export const timeOfDay = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "use HH:MM, from 00:00 to 24:00");

/** An IANA time zone. */
export const zone = z.string().refine(isZone, "use an IANA time zone");

/** `heartbeat`: runs at intervals in which the agent checks whether something needs attention. */
export const heartbeat = z.strictObject({
  every: duration.default("30m").meta(planned("Interval between heartbeats; 0m means never.")),
  prompt: z
    .string()
    .min(1)
    .max(4000)
    .default(
      "Read HEARTBEAT.md if it exists and follow it strictly. Do not repeat old tasks. If nothing needs attention, reply HEARTBEAT_OK.",
    )
    .meta(planned("The prompt of a heartbeat.")),
  model: z.string().optional().meta(planned("`provider/model` of heartbeats; the agent's own where absent.")),
  target: z
    .string()
    .min(1)
    .default("owner")
    .meta(planned("Where the result goes: `owner`, `last` for the conversation used last, `none`, or a channel's id.")),
  to: z.string().optional().meta(planned("The conversation on that channel, by its id there.")),
  accountId: z.string().optional().meta(planned("The channel's account that sends it.")),
  session: z.string().default("main").meta(planned("The session of heartbeats: `main`, or a session's key.")),
  activeHours: z
    .strictObject({
      start: timeOfDay.default("00:00").meta(planned("Start, as HH:MM.")),
      end: timeOfDay.default("24:00").meta(planned("End, as HH:MM; may be past midnight.")),
      timezone: zone.optional().meta(planned("IANA time zone of both; the user's where absent.")),
    })
    .optional()
    .meta(planned("Hours in which heartbeats run; all hours where absent.")),
  lightContext: z
    .boolean()
    .default(false)
    .meta(planned("Whether the prompt of a heartbeat contains no other file than HEARTBEAT.md.")),
  isolatedSession: z.boolean().default(false).meta(planned("Whether each heartbeat has a session of its own.")),
  ackMaxChars: z
    .number()
    .int()
    .min(0)
    .default(300)
    .meta(planned("Most characters beside HEARTBEAT_OK in a reply that is not delivered.")),
  includeReasoning: z.boolean().default(false).meta(planned("Whether the model's reasoning is delivered as well.")),
  includeSystemPromptSection: z
    .boolean()
    .default(true)
    .describe("Whether the prompt has the heartbeat section and HEARTBEAT.md."),
});

const agentId = z.string().refine(isAgentId, "use an agent's id");

/** `cron`. */
export const cron = z
  .strictObject({
    enabled: z.boolean().default(true).meta(planned("Whether jobs run.")),
    maxConcurrentRuns: z.number().int().min(0).default(0).meta(planned("Most jobs at once; 0 means any number.")),
    retry: z
      .strictObject({
        maxAttempts: z.number().int().min(0).max(10).default(3).meta(planned("How often a failed job is tried again.")),
        backoffMs: z
          .array(z.number().int().min(0))
          .min(1)
          .default([30_000, 60_000, 300_000])
          .meta(planned("Milliseconds before each retry; the last value applies to further ones.")),
      })
      .prefault({})
      .meta(planned("Retries of failed jobs.")),
    sessionRetention: duration.default("24h").meta(planned("How long the session of an isolated job is kept.")),
    runLog: z
      .strictObject({
        keepLines: z.number().int().min(0).default(2000).meta(planned("How many runs of a job the log keeps.")),
      })
      .prefault({})
      .meta(planned("The log of job runs.")),
    webhookToken: secretRef.optional().meta(planned("The token that deliveries to a webhook carry.")),
  })
  .prefault({})
  .meta(planned("Scheduled jobs."));

const mapping = z.strictObject({
  id: z.string().optional().meta(planned("Its name.")),
  match: z
    .strictObject({
      path: z.string().optional().meta(planned("What follows the path of hooks.")),
      source: z.string().optional().meta(planned("What the body calls its `source`.")),
    })
    .optional()
    .meta(planned("Which requests it is for.")),
  action: z
    .enum(["wake", "agent"])
    .default("agent")
    .meta(planned("Whether a request wakes the main session or starts a run.")),
  wakeMode: z.enum(["now", "next-heartbeat"]).default("now").meta(planned("When it wakes.")),
  name: z.string().optional().meta(planned("The name of the source in the agent's message.")),
  agentId: agentId.optional().meta(planned("The agent that works; the default one where absent.")),
  sessionKey: z.string().optional().meta(planned("The session in which it works.")),
  messageTemplate: z.string().optional().meta(planned("The agent's message; {{fields}} are filled in from the body.")),
  textTemplate: z.string().optional().meta(planned("The text of a `wake`.")),
  deliver: z.boolean().default(true).meta(planned("Whether the reply is delivered.")),
  channel: z.string().default("last").meta(planned("Where: a channel's id, or `last`.")),
  to: z.string().optional().meta(planned("The conversation there, by its id.")),
  model: z.string().optional().meta(planned("`provider/model` that answers.")),
  thinking: thinking.optional().meta(planned("How much it thinks.")),
  timeoutSeconds: z.number().int().min(0).optional().meta(planned("Longest time of the run.")),
});

/** `hooks`, but for plugins: requests from outside that wake an agent or start a run. */
export const webhooks = {
  enabled: z.boolean().default(false).meta(planned("Whether webhooks are accepted.")),
  token: secretRef.optional().meta(planned("The token that they carry, by the name of its variable.")),
  path: z
    .string()
    .regex(/^\/[\w/-]+$/, "begin it with a slash")
    .default("/hooks")
    .meta(planned("Path of the webhooks.")),
  maxBodyBytes: z.number().int().positive().default(262_144).meta(planned("Largest body, in bytes.")),
  defaultSessionKey: z.string().optional().meta(planned("The session of a request that names none.")),
  allowRequestSessionKey: z.boolean().default(false).meta(planned("Whether a request may name its session.")),
  allowedSessionKeyPrefixes: z
    .array(z.string())
    .default([])
    .meta(planned("What the name of such a session begins with.")),
  allowedAgentIds: z.array(agentId).optional().meta(planned("Agents that requests may name; all where absent.")),
  mappings: z.array(mapping).default([]).meta(planned("What a request starts, by its path; the first match counts.")),
};

const webhooksSchema = z.strictObject(webhooks);

/** Webhook settings of `hooks`, with defaults applied. */
export type Webhooks = z.output<typeof webhooksSchema>;
