import { z } from "zod";
import { isZone } from "../lib/zone.ts";
import { isAgentId } from "./session-key.ts";

const modelChoice = z
  .union([
    z.string(),
    z.strictObject({
      primary: z.string().describe("`provider/model` to ask first."),
      fallbacks: z.array(z.string()).default([]).describe("Whom to ask, in this order, where the one before cannot."),
    }),
  ])
  .describe("The model that answers, as `provider/model` or an alias.");

const models = z
  .record(
    z.string(),
    z.strictObject({
      alias: z
        .string()
        .regex(/^[\w.-]{1,40}$/)
        .optional()
        .describe("Its short name."),
    }),
  )
  .default({})
  .superRefine((named, context) => {
    const taken = new Set<string>();
    for (const [ref, { alias = ref }] of Object.entries(named)) {
      const name = alias.toLowerCase();
      if (taken.has(name)) {
        context.addIssue({ code: "custom", path: [ref, "alias"], message: `'${alias}' is another model's, too` });
      }
      taken.add(name);
    }
  })
  .describe("Models by `provider/model` with a short name for each, which may be used wherever a model is named.");

const thinking = z.enum(["off", "minimal", "low", "medium", "high"]);

const laneCap = z.number().int().min(0);

const tokens = z.number().int().min(0);

const compaction = z
  .strictObject({
    reserveTokens: tokens
      .default(16_384)
      .describe("Tokens of the context window that stay free for the answer; at most a quarter of the window."),
    keepRecentTokens: tokens.default(20_000).describe("Tokens of the newest messages that stay as they are."),
    model: z.string().optional().describe("`provider/model` that writes the summary; the agent's own where absent."),
    memoryFlush: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Lets the agent write down what is worth keeping before."),
        softThresholdTokens: tokens.default(4000).describe("How many tokens earlier than the compaction."),
        prompt: z.string().min(1).max(4000).optional().describe("What it is asked then."),
      })
      .prefault({})
      .describe("The silent turn before a compaction."),
  })
  .prefault({})
  .describe("How a conversation that gets too long is summarized. Its history is kept.");

const contextPruning = z
  .strictObject({
    mode: z.enum(["off", "auto"]).default("auto").describe("Whether old tool results are shortened for the model."),
    keepLastAssistants: z.number().int().min(0).default(3).describe("Newest replies whose results stay whole."),
    startRatio: z.number().min(0).max(1).default(0.5).describe("Share of the context from which on it is done."),
    maxChars: z.number().int().min(200).default(4000).describe("Results up to this size stay whole."),
    headChars: z.number().int().min(0).default(1500).describe("What is left of the beginning of a longer one."),
    tailChars: z.number().int().min(0).default(1500).describe("What is left of its end."),
  })
  .prefault({})
  .describe("What is done before a compaction is needed.");

const subagents = z
  .strictObject({
    allowAgents: z
      .array(z.string())
      .default([])
      .describe("Agents that may be started as sub-agents besides itself; `*` is every one."),
    model: z.string().optional().describe("`provider/model` of sub-agents; that of their agent where absent."),
    thinking: thinking.optional().describe("How much sub-agents think."),
    maxSpawnDepth: z.number().int().min(0).max(5).default(1).describe("How deep sub-agents may start others."),
    maxChildren: z.number().int().min(1).max(50).default(5).describe("Most sub-agents of a session at once."),
    runTimeoutSeconds: z.number().int().min(0).optional().describe("Longest time of a sub-agent's run."),
    delegationMode: z.enum(["suggest", "prefer"]).default("suggest").describe("How readily work is handed on."),
  })
  .prefault({})
  .describe("What sub-agents may be.");

/** What holds for every agent that does not say otherwise; `agents.defaults`. */
export const agentDefaults = z
  .strictObject({
    model: modelChoice.optional(),
    models,
    workspace: z.string().optional().describe("R2 prefix of the default agent's workspace."),
    userTimezone: z
      .string()
      .refine(isZone, "use an IANA time zone")
      .optional()
      .describe("IANA time zone of the user, such as Asia/Shanghai."),
    timeFormat: z.enum(["auto", "12", "24"]).default("auto").describe("How times of day are written."),
    thinkingDefault: thinking.default("off").describe("How much a model thinks before it answers."),
    verboseDefault: z
      .enum(["off", "on", "full"])
      .default("off")
      .describe("Whether tool calls are told as they happen."),
    reasoningDefault: z
      .enum(["off", "on", "stream"])
      .default("off")
      .describe("Whether people see a model's reasoning."),
    contextTokens: tokens
      .positive()
      .default(200_000)
      .describe("Most tokens of a context, where the model's window is larger."),
    timeoutSeconds: z.number().int().min(0).default(600).describe("Longest time of one run; 0 means no limit."),
    maxConcurrent: z
      .union([laneCap, z.strictObject({ main: laneCap, subagent: laneCap, cron: laneCap, nested: laneCap }).partial()])
      .optional()
      .describe("Most runs at once, for conversations or for each lane; 0 or nothing means any number."),
    compaction,
    contextPruning,
    subagents,
    blockStreamingDefault: z
      .enum(["off", "on"])
      .default("off")
      .describe("Whether channels get a long reply in blocks while it is being written."),
    blockStreamingBreak: z
      .enum(["text_end", "message_end"])
      .default("text_end")
      .describe("When blocks leave: as they are complete, or when the message is."),
    blockStreamingChunk: z
      .strictObject({
        minChars: z.number().int().min(1).default(800).describe("Fewest characters of a block that is not the last."),
        maxChars: z.number().int().min(20).max(20_000).default(1200).describe("Most characters of a block."),
      })
      .prefault({})
      .refine(({ minChars, maxChars }) => minChars <= maxChars, "minChars is more than maxChars")
      .describe("How large blocks are."),
    skipBootstrap: z.boolean().default(false).describe("Leaves every workspace file out of the prompt."),
    bootstrapMaxChars: z.number().int().positive().default(20_000).describe("Most characters of one workspace file."),
    bootstrapTotalMaxChars: z.number().int().positive().default(60_000).describe("Most characters of all of them."),
    bootstrapPromptTruncationWarning: z
      .enum(["off", "once", "always"])
      .default("always")
      .describe("When the prompt says that a workspace file was cut."),
  })
  .prefault({});

/** One of `agents.list`. */
export const agentEntry = z.strictObject({
  id: z.string().refine(isAgentId, "use lower-case letters, digits, - and _, at most 64").describe("The agent's id."),
  default: z.boolean().optional().describe("Whether it answers where no agent is named."),
  name: z.string().optional().describe("Its name for people."),
  model: modelChoice.optional(),
  workspace: z.string().optional().describe("R2 prefix of its workspace."),
  subagents: z
    .strictObject({
      allowAgents: z.array(z.string()).optional().describe("Agents that it may start; `*` is every one."),
      model: z.string().optional().describe("`provider/model` that it answers with where it works as a sub-agent."),
      delegationMode: z.enum(["suggest", "prefer"]).optional().describe("How readily it hands work on."),
    })
    .optional()
    .describe("What its sub-agents may be."),
});
