import { z } from "zod";
import { isAgentId } from "./session-key.ts";

/** A secret by name; its value is only ever in the Worker's environment. */
export const secretRef = z
  .strictObject({
    source: z.literal("env").describe("Where the value is: the Worker's environment."),
    id: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/, "use the name of an environment variable")
      .describe("Its name there."),
  })
  .describe("A secret by name, never by value.");

/** A secret as configurations name it. */
export type SecretRef = z.output<typeof secretRef>;

const modelChoice = z
  .union([z.string(), z.strictObject({ primary: z.string().describe("`provider/model` to ask first.") })])
  .describe("The model that answers, as `provider/model`.");

const thinking = z.enum(["off", "minimal", "low", "medium", "high"]);

const laneCap = z.number().int().min(0);

const agentDefaults = z
  .strictObject({
    model: modelChoice.optional(),
    workspace: z.string().optional().describe("R2 prefix of the default agent's workspace."),
    userTimezone: z.string().optional().describe("IANA time zone of the user, such as Asia/Shanghai."),
    thinkingDefault: thinking.default("off").describe("How much a model thinks before it answers."),
    timeoutSeconds: z.number().int().min(0).default(600).describe("Longest time of one run; 0 means no limit."),
    maxConcurrent: z
      .union([laneCap, z.strictObject({ main: laneCap, subagent: laneCap, cron: laneCap, nested: laneCap }).partial()])
      .optional()
      .describe("Most runs at once, for conversations or for each lane; 0 or nothing means any number."),
    skipBootstrap: z.boolean().default(false).describe("Leaves every workspace file out of the prompt."),
    bootstrapMaxChars: z.number().int().positive().default(20_000).describe("Most characters of one workspace file."),
    bootstrapTotalMaxChars: z.number().int().positive().default(60_000).describe("Most characters of all of them."),
    bootstrapPromptTruncationWarning: z
      .enum(["off", "once", "always"])
      .default("always")
      .describe("When the prompt says that a workspace file was cut."),
  })
  .prefault({});

const agentEntry = z.strictObject({
  id: z.string().refine(isAgentId, "use lower-case letters, digits, - and _, at most 64").describe("The agent's id."),
  default: z.boolean().optional().describe("Whether it answers where no agent is named."),
  name: z.string().optional().describe("Its name for people."),
  model: modelChoice.optional(),
  workspace: z.string().optional().describe("R2 prefix of its workspace."),
});

const queueMode = z.enum(["steer", "followup", "collect", "interrupt"]);

const queue = z
  .strictObject({
    mode: queueMode.default("steer").describe("What a message does that comes while a run is at work."),
    byChannel: z.record(z.string(), queueMode).default({}).describe("The mode of one channel, by its id."),
    debounceMs: z.number().int().min(0).max(60_000).default(500).describe("How long `collect` waits for quiet."),
    cap: z.number().int().min(1).max(1000).default(20).describe("Most runs of one session that may wait."),
    drop: z
      .enum(["summarize", "old", "new"])
      .default("summarize")
      .describe("What gives way past the cap: the oldest after a line of it was kept, the oldest, or the new one."),
  })
  .prefault({});

/** The parts of the configuration that belong to no list of members. */
const core = {
  agents: z
    .strictObject({ defaults: agentDefaults, list: z.array(agentEntry).default([]) })
    .prefault({})
    .describe("The agents and what they share."),
  session: z
    .strictObject({
      dmScope: z
        .enum(["auto", "main", "per-peer", "per-channel-peer", "per-account-channel-peer"])
        .default("auto")
        .describe("Which direct conversations share a session; auto: owners share main, everyone else is apart."),
      retention: z
        .strictObject({
          days: z
            .number()
            .int()
            .min(0)
            .default(0)
            .describe(
              "After how many days messages, runs and deliveries are deleted, but for what a model is still shown; 0 means never.",
            ),
        })
        .prefault({})
        .describe("How long a session's history is kept. It is looked after when the session is used."),
    })
    .prefault({})
    .describe("How conversations become sessions."),
  messages: z.strictObject({ queue }).prefault({}).describe("What happens to messages on their way to the agent."),
  commands: z
    .strictObject({
      ownerAllowFrom: z
        .array(z.string())
        .default([])
        .describe("Owners as `channel:senderId`, or an id on any channel."),
      ownerDisplay: z.enum(["raw", "hash"]).default("hash").describe("How the prompt shows an owner's id."),
      ownerDisplaySecret: secretRef.optional().describe("Key of the hash of owners' ids."),
    })
    .prefault({})
    .describe("Who may give commands."),
  prompt: z
    .strictObject({
      productName: z
        .string()
        .min(1)
        .max(64)
        .default("OpenClaw")
        .describe("The product that the agent says it runs inside."),
    })
    .prefault({})
    .describe("What the system prompt calls things."),
};

const coreSchema = z.strictObject(core);

/** The configuration without the parts that models and channels bring. */
export type CoreConfig = z.output<typeof coreSchema>;

/** Composes the whole schema; `models` and `channels` are what those rooms bring. */
export function configSchema<Models extends z.ZodType, Channels extends z.ZodType>(models: Models, channels: Channels) {
  return z.strictObject({ ...core, models, channels });
}
