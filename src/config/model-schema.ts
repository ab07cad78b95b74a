import { z } from "zod";

/** Which model, and who is asked where it cannot answer. */
export const modelChoice = z
  .union([
    z.string(),
    z.strictObject({
      primary: z.string().describe("`provider/model` to ask first."),
      fallbacks: z.array(z.string()).default([]).describe("Whom to ask, in this order, where the one before cannot."),
    }),
  ])
  .describe("The model that answers, as `provider/model` or an alias.");

/** How much a model thinks. */
export const thinking = z.enum(["off", "minimal", "low", "medium", "high"]);

/** What goes along with requests to a model. */
export const params = z
  .strictObject({
    temperature: z.number().min(0).max(2).optional().describe("How freely it chooses its words, from 0 to 2."),
    topP: z.number().gt(0).max(1).optional().describe("Share of the likeliest words that it chooses among."),
    maxTokens: z.number().int().positive().optional().describe("Most tokens of one answer, where its limit is higher."),
  })
  .describe("What goes along with requests to a model; what is not said, its provider decides.");

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
        enabled: z.boolean().default(true).describe("Lets the agent write down what is worth keeping before."),
        softThresholdTokens: tokens.default(4000).describe("How many tokens earlier than the compaction."),
        prompt: z.string().min(1).max(4000).optional().describe("What it is asked then."),
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
    startRatio: z.number().min(0).max(1).default(0.5).describe("Share of the context from which on it is done."),
    maxChars: z.number().int().min(200).default(4000).describe("Results up to this size stay whole."),
    headChars: z.number().int().min(0).default(1500).describe("What is left of the beginning of a longer one."),
    tailChars: z.number().int().min(0).default(1500).describe("What is left of its end."),
  })
  .prefault({})
  .describe("What is done before a compaction is needed.");

/** `contextLimits`: what is read while an agent works, as apart from the files that its prompt shows. */
export const contextLimits = z.strictObject({
  memoryGetMaxChars: chars.default(12_000).describe("Most characters that one `memory_get` gives."),
  memoryGetDefaultLines: chars.default(120).describe("Lines that `memory_get` gives where it is not told."),
  toolResultMaxChars: chars
    .min(1000)
    .max(65_536)
    .default(65_536)
    .describe("Most characters of a tool's result in the conversation; of a longer one the whole is kept, to be read."),
  postCompactionMaxChars: chars
    .default(1800)
    .describe(
      "Most characters of AGENTS.md's key sections that are shown after a compaction, where the prompt cuts it.",
    ),
});
