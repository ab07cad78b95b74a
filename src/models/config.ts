import { z } from "zod";
import { address, headers, secretRef } from "../config/secret-ref.ts";
import { INPUT_KINDS } from "./input-kinds.ts";
import { BUILT_IN_PROVIDERS, WIRE_FORMAT_NAMES } from "./providers.ts";

const model = z.strictObject({
  id: z.string().min(1).describe("The model's name at this provider."),
  name: z.string().optional().describe("Its display name."),
  contextWindow: z.number().int().positive().optional().describe("Context window: tokens that input and output share."),
  maxTokens: z.number().int().positive().optional().describe("The most tokens of one answer."),
  reasoning: z.boolean().optional().describe("Whether it supports thinking."),
  reasoningFormat: z
    .enum(["native", "tagged"])
    .optional()
    .describe("How it returns reasoning: in a separate field, or in <think> tags that it is asked for."),
  input: z
    .array(z.enum(["text", ...INPUT_KINDS]))
    .optional()
    .describe(
      "The input that it accepts; what is not named comes as text, or not at all. `audio` needs `openai-completions`: " +
        "MP3 and WAV are sent.",
    ),
  cost: z
    .strictObject({
      input: z.number().min(0).default(0).describe("Per million input tokens."),
      output: z.number().min(0).default(0).describe("Per million output tokens."),
      cacheRead: z.number().min(0).optional().describe("Per million tokens read from its cache; as `input` if absent."),
      cacheWrite: z
        .number()
        .min(0)
        .optional()
        .describe("Per million tokens written to its cache; as `input` if absent."),
      minute: z.number().min(0).optional().describe("Per minute of a recording that it transcribes."),
      millionChars: z.number().min(0).optional().describe("Per million characters that it reads aloud."),
      image: z.number().min(0).optional().describe("Per picture that it makes."),
    })
    .optional()
    .describe("Its prices in US dollars, for cost estimates."),
});

const provider = z.strictObject({
  baseUrl: address.describe("The base URL of its API, with the version: https://api.example.com/v1."),
  api: z
    .enum(WIRE_FORMAT_NAMES)
    .optional()
    .describe("Its wire format; a built-in provider at another address has its usual one."),
  apiKey: secretRef
    .optional()
    .describe("Its API key; absent if it needs none. A built-in provider at another address gets its usual one."),
  headers: headers.default({}).describe("Headers sent with every request; a secret value is given by its name."),
  models: z.array(model).default([]).describe("Details of its models; other models may be used as well."),
});

const NO_FORMAT = `name its wire format: ${WIRE_FORMAT_NAMES.join(", ")}`;

/** The configuration's `models`. */
export const modelsConfig = z
  .strictObject({
    providers: z
      .record(z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "use lower-case letters, digits, - and _"), provider)
      .superRefine((given, context) => {
        for (const [name, { api }] of Object.entries(given)) {
          if (api !== undefined || Object.hasOwn(BUILT_IN_PROVIDERS, name)) continue;
          context.addIssue({ code: "custom", path: [name, "api"], message: NO_FORMAT });
        }
      })
      .default({})
      .describe("Model providers by name, besides the built-in ones; one with a built-in name replaces it."),
    retry: z
      .strictObject({
        times: z.number().int().min(0).max(5).default(2).describe("How often the same model is asked again."),
        backoffMs: z
          .number()
          .int()
          .min(1)
          .max(30_000)
          .default(1000)
          .describe("The pause before the first retry, in milliseconds; it doubles with each further one."),
      })
      .prefault({})
      .describe("Retries of a model that is overloaded or unreachable, before the next one is asked."),
  })
  .prefault({})
  .describe("Model providers.");

/** A provider with defaults applied. */
export type ProviderConfig = z.output<typeof provider>;
