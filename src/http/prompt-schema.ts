import { z } from "@hono/zod-openapi";

const textSize = z
  .object({
    chars: z.int().openapi({ description: "In UTF-16 units." }),
    bytes: z.int().openapi({ description: "In UTF-8." }),
    tokens: z.int().openapi({ description: "Estimated." }),
  })
  .openapi("TextSize");

const section = textSize
  .extend({
    name: z.string(),
    source: z.object({
      kind: z.enum(["section", "provider", "configuration", "workspace", "run", "plugin"]),
      name: z.string().openapi({
        description:
          "Where its words come from: the file of the repository, the provider's contribution, the field of the " +
          "configuration, the files of the workspace, the field of the run, or the plugin.",
      }),
    }),
    layer: z.enum(["above", "below"]).openapi({ description: "On which side of the cache boundary it is." }),
    text: z.string(),
  })
  .openapi("PromptSection");

const file = z
  .object({
    path: z.string(),
    rawChars: z.int().openapi({ description: "As it is in the workspace." }),
    injectedChars: z.int().openapi({ description: "As the prompt shows it." }),
    tokens: z.int(),
    truncated: z.boolean(),
    missing: z.boolean(),
  })
  .openapi("PromptFile");

const toolCost = z.object({ name: z.string(), schemaBytes: z.int(), tokens: z.int() }).openapi("ToolCost");

/** A system prompt and the tools that go with it. */
export const promptView = z
  .object({
    agentId: z.string(),
    sessionKey: z.string(),
    mode: z.enum(["full", "minimal", "none"]),
    model: z.string(),
    hash: z.string().openapi({ description: "SHA-256 of `text`, in hex." }),
    stableHash: z.string().openapi({ description: "SHA-256 of what is above the boundary." }),
    text: z.string().openapi({ description: "With the line of the cache boundary, which no model sees." }),
    sections: z.array(section),
    files: z.array(file),
    tools: z.array(toolCost),
    totals: z.object({
      prompt: textSize,
      above: textSize,
      below: textSize,
      tools: z.object({ count: z.int(), schemaBytes: z.int(), tokens: z.int() }),
    }),
  })
  .openapi("Prompt");
