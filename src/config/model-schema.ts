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
