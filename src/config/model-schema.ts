import { z } from "zod";

/** A model and its fallbacks. */
export const modelChoice = z
  .union([
    z.string(),
    z.strictObject({
      primary: z.string().describe("`provider/model` that is asked first."),
      fallbacks: z.array(z.string()).default([]).describe("Models to ask, in this order, when the one before fails."),
    }),
  ])
  .describe("The model that answers, as `provider/model` or an alias.");

/** How much a model thinks. */
export const thinking = z.enum(["off", "minimal", "low", "medium", "high"]);

/** Parameters of requests to a model. */
export const params = z
  .strictObject({
    temperature: z.number().min(0).max(2).optional().describe("Sampling temperature, from 0 to 2."),
    topP: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe("Nucleus sampling: the share of probability that it samples from."),
    maxTokens: z.number().int().positive().optional().describe("Most tokens of one answer, if the model allows more."),
  })
  .describe("Parameters of requests to a model; the provider decides what is absent.");

/** `agents.defaults.models`. */
export const models = z
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

const tokens = z.number().int().min(0);
const chars = z.number().int().positive();

/** `compaction`. */
export const compaction = z
  .strictObject({
    reserveTokens: tokens
      .default(16_384)
      .describe("Tokens of the context window that stay free for the answer; at most a quarter of the window."),
    keepRecentTokens: tokens.default(20_000).describe("Tokens of the newest messages that stay as they are."),
    model: z.string().optional().describe("`provider/model` that writes the summary; the agent's own where absent."),
    memoryFlush: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe("Whether the agent saves what is worth keeping before a compaction."),
        softThresholdTokens: tokens.default(4000).describe("How many tokens earlier than the compaction."),
        prompt: z.string().min(1).max(4000).optional().describe("The prompt of that turn."),
      })
      .prefault({})
      .describe("The silent turn before a compaction."),
  })
  .prefault({})
  .describe("How a conversation that gets too long is summarized. Its history is kept.");

/** `contextPruning`. */
export const contextPruning = z
  .strictObject({
    mode: z.enum(["off", "auto"]).default("auto").describe("Whether old tool results are shortened for the model."),
    keepLastAssistants: z.number().int().min(0).default(3).describe("Newest replies whose results stay whole."),
    startRatio: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe("Share of the context from which old results are shortened."),
    maxChars: z.number().int().min(200).default(4000).describe("Results up to this size stay whole."),
    headChars: z.number().int().min(0).default(1500).describe("Characters that a longer one keeps of its beginning."),
    tailChars: z.number().int().min(0).default(1500).describe("Characters that it keeps of its end."),
  })
  .prefault({})
  .describe("Shortening of old tool results before a compaction is needed.");

/** `contextLimits`: what is read while an agent works, as apart from the files that its prompt shows. */
export const contextLimits = z.strictObject({
  memoryGetMaxChars: chars.default(12_000).describe("Most characters that one `memory_get` returns."),
  memoryGetDefaultLines: chars.default(120).describe("Lines that `memory_get` returns by default."),
  toolResultMaxChars: chars
    .min(1000)
    .max(65_536)
    .default(65_536)
    .describe("Most characters of a tool's result in the conversation; a longer one is stored whole, and can be read."),
  postCompactionMaxChars: chars
    .default(1800)
    .describe(
      "Most characters of AGENTS.md's key sections that are shown after a compaction, where the prompt cuts it.",
    ),
});
