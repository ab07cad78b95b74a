import { z } from "zod";
import { duration } from "./duration-schema.ts";
import { planned } from "./field-marks.ts";
import { thinking } from "./model-schema.ts";
import { secretRef } from "./secret-ref.ts";
import { isAgentId } from "./session-key.ts";

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
          .meta(planned("How long to wait before each try; the last one holds for further ones.")),
      })
      .prefault({})
      .meta(planned("What is done where a job fails.")),
    sessionRetention: duration.default("24h").meta(planned("How long the session of an isolated job is kept.")),
    runLog: z
      .strictObject({
        keepLines: z.number().int().min(0).default(2000).meta(planned("How many runs of a job are remembered.")),
      })
      .prefault({})
      .meta(planned("What is remembered of jobs.")),
    webhookToken: secretRef.optional().meta(planned("The token that deliveries to a webhook carry.")),
  })
  .prefault({})
  .meta(planned("Work by the clock."));

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
    .meta(planned("Whether it wakes the main session or starts a run.")),
  wakeMode: z.enum(["now", "next-heartbeat"]).default("now").meta(planned("When it wakes.")),
  name: z.string().optional().meta(planned("What the agent is told that it comes from.")),
  agentId: agentId.optional().meta(planned("The agent that works; the default one where absent.")),
  sessionKey: z.string().optional().meta(planned("The session in which it works.")),
  messageTemplate: z.string().optional().meta(planned("What the agent is told; {{fields}} are those of the body.")),
  textTemplate: z.string().optional().meta(planned("What a `wake` says.")),
  deliver: z.boolean().default(true).meta(planned("Whether the reply is delivered.")),
  channel: z.string().default("last").meta(planned("Where: a channel's id, or `last`.")),
  to: z.string().optional().meta(planned("The conversation there, by its id.")),
  model: z.string().optional().meta(planned("`provider/model` that answers.")),
  thinking: thinking.optional().meta(planned("How much it thinks.")),
  timeoutSeconds: z.number().int().min(0).optional().meta(planned("Longest time of the run.")),
});

/** `hooks`, but for plugins: requests from outside that wake an agent or start a run. */
export const webhooks = {
  enabled: z.boolean().default(false).meta(planned("Whether requests from outside are taken.")),
  token: secretRef.optional().meta(planned("The token that they carry, by the name of its variable.")),
  path: z
    .string()
    .regex(/^\/[\w/-]+$/, "begin it with a slash")
    .default("/hooks")
    .meta(planned("Where they are taken.")),
  maxBodyBytes: z.number().int().positive().default(262_144).meta(planned("Largest body, in bytes.")),
  defaultSessionKey: z.string().optional().meta(planned("The session of a request that names none.")),
  allowRequestSessionKey: z.boolean().default(false).meta(planned("Whether a request may name its session.")),
  allowedSessionKeyPrefixes: z
    .array(z.string())
    .default([])
    .meta(planned("What the name of such a session begins with.")),
  allowedAgentIds: z.array(agentId).optional().meta(planned("Agents that requests may name; all where absent.")),
  mappings: z
    .array(mapping)
    .default([])
    .meta(planned("What is made of requests, by their path; the first one counts.")),
};

const webhooksSchema = z.strictObject(webhooks);

/** What `hooks` says of requests from outside, with its defaults applied. */
export type Webhooks = z.output<typeof webhooksSchema>;
