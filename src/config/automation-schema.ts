import { z } from "zod";
import { parseDuration } from "../lib/duration.ts";
import { isZone } from "../lib/zone.ts";
import { unused } from "./field-marks.ts";
import { thinking } from "./model-schema.ts";
import { secretRef } from "./secret-ref.ts";
import { isAgentId } from "./session-key.ts";

/** A span of time as people write it: `30m`, `2h`, `0m`. */
export const duration = z.string().regex(/^\d{1,6}(s|m|h|d)$/, "use a number and s, m, h or d, such as 30m");

/** The same, freely written, and a bare number for minutes: `1h30m`, `1.5h`, `0`. */
export const interval = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, "use a duration such as 30m, 1h30m or 1.5h; 0m means never");

/** A time of day: `08:00`. */
export const timeOfDay = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "use HH:MM, from 00:00 to 24:00");

/** An IANA time zone. */
export const zone = z.string().refine(isZone, "use an IANA time zone");

/** `heartbeat`: runs at intervals in which the agent checks whether something needs attention. */
export const heartbeat = z.strictObject({
  every: interval.default("30m").describe("Interval between heartbeats; 0m means never."),
  prompt: z
    .string()
    .min(1)
    .max(4000)
    .default(
      "Read HEARTBEAT.md if it exists and follow it strictly. Do not repeat old tasks. If nothing needs attention, reply HEARTBEAT_OK.",
    )
    .describe("The prompt of a heartbeat."),
  model: z.string().optional().describe("`provider/model` of heartbeats; the agent's own where absent."),
  target: z
    .string()
    .min(1)
    .default("owner")
    .describe("Where the result goes: `owner`, `last` for the conversation used last, `none`, or a channel's id."),
  to: z.string().optional().describe("The conversation on that channel, by its id there."),
  accountId: z.string().optional().describe("The channel's account that sends it."),
  session: z.string().default("main").describe("The session of heartbeats: `main`, or a session's key."),
  activeHours: z
    .strictObject({
      start: timeOfDay
        .refine((time) => time !== "24:00", "use HH:MM, from 00:00 to 23:59")
        .default("00:00")
        .describe("Start, as HH:MM."),
      end: timeOfDay.default("24:00").describe("End, as HH:MM; may be past midnight."),
      timezone: zone.optional().describe("IANA time zone of both; the user's where absent."),
    })
    .optional()
    .describe("Hours in which heartbeats run; all hours where absent."),
  lightContext: z
    .boolean()
    .default(false)
    .describe("Whether the prompt of a heartbeat contains no other file than HEARTBEAT.md."),
  isolatedSession: z.boolean().default(false).describe("Whether each heartbeat has a session of its own."),
  ackMaxChars: z
    .number()
    .int()
    .min(0)
    .default(300)
    .describe("Most characters beside HEARTBEAT_OK in a reply that is not delivered."),
  includeReasoning: z.boolean().default(false).describe("Whether the model's reasoning is delivered as well."),
  includeSystemPromptSection: z
    .boolean()
    .default(true)
    .describe("Whether the prompt has the heartbeat section and HEARTBEAT.md."),
});

const agentId = z.string().refine(isAgentId, "use an agent's id");

/** `cron`. */
export const cron = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether jobs run."),
    maxConcurrentRuns: z
      .number()
      .int()
      .min(0)
      .default(50)
      .describe("Most heartbeats and jobs at once, unless agents.defaults.maxConcurrent says; 0 means any number."),
    retry: z
      .strictObject({
        maxAttempts: z.number().int().min(0).max(10).default(3).describe("How often a failed job is tried again."),
        backoffMs: z
          .array(z.number().int().min(0))
          .min(1)
          .default([30_000, 60_000, 300_000])
          .describe("Milliseconds before each retry; the last value applies to further ones."),
      })
      .prefault({})
      .describe("Retries of failed jobs."),
    sessionRetention: duration
      .default("24h")
      .describe("How long the session of an isolated job or webhook is kept after its last run."),
    runLog: z
      .strictObject({
        keepLines: z.number().int().min(0).default(2000).describe("How many runs of a job the log keeps."),
      })
      .prefault({})
      .describe("The log of job runs."),
    webhookToken: secretRef.optional().describe("The secret that what jobs post to webhooks is signed with."),
  })
  .prefault({})
  .describe("Scheduled jobs.");

const mapping = z.strictObject({
  id: z.string().optional().describe("Its name."),
  match: z
    .strictObject({
      path: z.string().optional().describe("What follows the path of hooks."),
      source: z.string().optional().describe("What the body calls its `source`."),
    })
    .optional()
    .describe("Which requests it is for; all where absent."),
  action: z
    .enum(["wake", "agent"])
    .default("agent")
    .describe("Whether a request is told to the main session or starts a run."),
  wakeMode: z
    .enum(["now", "next-heartbeat"])
    .default("now")
    .describe("Whether a `wake` is told at once or with the next heartbeat."),
  name: z.string().optional().describe("The name of the source in the agent's message."),
  agentId: agentId.optional().describe("The agent that works; the default one where absent."),
  sessionKey: z
    .string()
    .optional()
    .describe("The session in which it works, as `hook:<name>`; {{fields}} are filled in."),
  sessionMode: z
    .enum(["isolated", "persistent"])
    .default("isolated")
    .describe("Whether each request begins a new conversation in its session."),
  each: z.string().optional().describe("A list of the body: each of its entries is a run of its own."),
  messageTemplate: z.string().optional().describe("The agent's message; {{fields}} are filled in from the body."),
  textTemplate: z.string().optional().describe("The text of a `wake`."),
  deliver: z.boolean().optional().describe("Whether the reply is delivered; it is where absent."),
  channel: z.string().optional().describe("Where: a channel's id, `owner`, or `last`, which it is where absent."),
  to: z.string().optional().describe("The conversation there, by its id."),
  model: z.string().optional().describe("`provider/model` that answers."),
  thinking: thinking.optional().describe("How much it thinks."),
  timeoutSeconds: z.number().int().min(0).optional().describe("Longest time of the run."),
  trusted: z
    .boolean()
    .default(false)
    .describe("Whether its runs have an owner's tools; else they have the `messaging` profile."),
});

/** One entry of `hooks.mappings`, with defaults applied. */
export type HookMapping = z.output<typeof mapping>;

/** `hooks`, but for plugins: requests from outside that wake an agent or start a run. */
export const webhooks = {
  enabled: z.boolean().default(false).describe("Whether webhooks are accepted."),
  token: secretRef.optional().describe("The token that they carry, by the name of its variable."),
  path: z
    .string()
    .regex(/^\/[\w/-]+$/, "begin it with a slash")
    .default("/hooks")
    .meta(unused("Path of the webhooks: they are always at /hooks.")),
  maxBodyBytes: z.number().int().positive().max(1_048_576).default(262_144).describe("Largest body, in bytes."),
  defaultSessionKey: z.string().optional().describe("The session of a request to /hooks/agent that names none."),
  allowRequestSessionKey: z.boolean().default(false).describe("Whether a request may name its session."),
  allowedSessionKeyPrefixes: z
    .array(z.string())
    .default([])
    .describe("What the name of such a session begins with; any name where empty."),
  allowedAgentIds: z.array(agentId).optional().describe("Agents that requests may name; all where absent."),
  presets: z
    .array(z.enum(["gmail", "github", "json"]))
    .default([])
    .describe("Ready mappings, at /hooks/gmail, /hooks/github and /hooks/json; own mappings come first."),
  mappings: z.array(mapping).default([]).describe("What a request starts, by its path; the first match counts."),
};

const webhooksSchema = z.strictObject(webhooks);

/** Webhook settings of `hooks`, with defaults applied. */
export type WebhookRules = z.output<typeof webhooksSchema>;
