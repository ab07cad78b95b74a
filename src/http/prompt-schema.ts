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
      kind: z.enum(["section", "provider", "configuration", "workspace", "skills", "run", "plugin"]),
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
    note: z.string().optional().openapi({ description: "What stands there for a file that is empty or no text." }),
  })
  .openapi("PromptFile");

const toolCost = z
  .object({
    name: z.string(),
    schemaBytes: z.int(),
    tokens: z.int(),
    description: z.string(),
    parameters: z.record(z.string(), z.any()).openapi({ description: "The JSON Schema of its arguments." }),
  })
  .openapi("ToolCost");

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

const seeded = z.boolean().openapi({
  description:
    "False where no turn has furnished the workspace yet: the files are then those that the first one will write.",
});

const warnings = z.array(z.string()).openapi({
  description: "What is wrong with workspace files, in sentences: names that clash, control characters, and the like.",
});

const skills = z
  .object({
    eligible: z.int().openapi({ description: "How many may be used." }),
    listed: z.int().openapi({ description: "How many of them the prompt lists." }),
    chars: z.int().openapi({ description: "Of that list." }),
    leftOut: z.int().openapi({ description: "How many were found besides; GET /v1/agents/:id/skills says why." }),
    cut: z.array(z.object({ name: z.string(), reason: z.string() })).openapi({
      description: "Those that may be used and are not listed for want of room.",
    }),
    notes: z.array(z.string()).openapi({ description: "What is amiss with those that may be used, in sentences." }),
  })
  .openapi("PromptSkills");

/** What a turn would be given now. */
export const promptLook = promptView.extend({ skills, seeded, warnings }).openapi("PromptLook");

/** What the model of a run was sent. */
export const runPrompt = promptView
  .extend({
    runId: z.string().openapi({ description: "Another run's where this one joined it." }),
    purpose: z.enum(["turn", "summary"]).openapi({
      description: "`summary` for a run that only had the conversation summarized.",
    }),
    earlier: z.array(z.object({ hash: z.string(), model: z.string() })).openapi({
      description: "What it was sent before, where it went on after a crash or a person's word: ask with `hash`.",
    }),
    summaries: z.array(z.object({ at: z.int(), model: z.string(), system: z.string() })).openapi({
      description: "The summaries that were made on its way: by which model, under which system prompt, without tools.",
    }),
  })
  .openapi("RunPrompt");

/** What the next request to a model would be made of. */
export const contextReport = promptLook
  .extend({
    window: z.int().openapi({ description: "How many tokens the model takes." }),
    messages: z
      .object({ count: z.int(), tokens: z.int() })
      .openapi({ description: "What it sees of the conversation." }),
    limits: z.object({ fileChars: z.int(), totalChars: z.int() }).openapi({
      description: "Most characters of one workspace file, and of all of them.",
    }),
  })
  .openapi("ContextReport");

export type Prompt = z.infer<typeof promptView>;
export type ContextReport = z.infer<typeof contextReport>;
