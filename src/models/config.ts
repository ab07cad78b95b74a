import { z } from "zod";
import { address, headers, secretRef } from "../config/secret-ref.ts";

const model = z.strictObject({
  id: z.string().min(1).describe("The model's name at this provider."),
  name: z.string().optional().describe("Its name for people."),
  contextWindow: z.number().int().positive().optional().describe("Tokens that input and output share."),
  maxTokens: z.number().int().positive().optional().describe("Most tokens that one answer may have."),
  reasoning: z.boolean().optional().describe("Whether it can think before it answers."),
  reasoningFormat: z
    .enum(["native", "tagged"])
    .optional()
    .describe("Where its thoughts are: in a place of their own, or in <think> tags that it is asked for."),
  input: z
    .array(z.enum(["text", "image"]))
    .optional()
    .describe("What it takes; text alone keeps images away from it."),
  cost: z
    .strictObject({
      input: z.number().min(0).default(0).describe("Of a million tokens that it reads."),
      output: z.number().min(0).default(0).describe("Of a million tokens that it writes."),
      cacheRead: z.number().min(0).optional().describe("Of those that were read from its cache; as `input` if absent."),
      cacheWrite: z.number().min(0).optional().describe("Of those written to its cache; as `input` if absent."),
    })
    .optional()
    .describe("Its prices in US dollars, from which costs are estimated."),
});

const provider = z.strictObject({
  baseUrl: address.describe("Where its API begins, with the version: https://api.example.com/v1."),
  api: z
    .enum(["openai-completions", "openai-responses", "anthropic-messages"])
    .describe("The wire format that it speaks."),
  apiKey: secretRef.optional().describe("Its key; absent where it wants none."),
  headers: headers.default({}).describe("Headers that every request carries; a secret among them by its name."),
  models: z.array(model).default([]).describe("What is to be known of its models; others may be used as well."),
});

/** What `models` of the configuration says. */
export const modelsConfig = z
  .strictObject({
    providers: z
      .record(z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "use lower-case letters, digits, - and _"), provider)
      .default({})
      .describe("Model providers by name, besides the built-in ones; one of the same name replaces it."),
    retry: z
      .strictObject({
        times: z.number().int().min(0).max(5).default(2).describe("How often the same model is asked again."),
        backoffMs: z
          .number()
          .int()
          .min(1)
          .max(30_000)
          .default(1000)
          .describe("How long to wait before the first time, in milliseconds; twice as long before each further one."),
      })
      .prefault({})
      .describe("What is done where a model is overloaded or out of reach, before the next one is asked."),
  })
  .prefault({})
  .describe("Where models are.");

/** A provider with its defaults applied. */
export type ProviderConfig = z.output<typeof provider>;
