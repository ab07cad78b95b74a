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
          "The source of its text: the file of the repository, the provider's contribution, the field of the " +
          "configuration, the files of the workspace, the field of the run, or the plugin.",
      }),
    }),
    layer: z.enum(["above", "below"]).openapi({ description: "Whether it is above or below the cache boundary." }),
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
    note: z.string().optional().openapi({ description: "The placeholder for a file that is empty or not text." }),
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
    text: z.string().openapi({ description: "With the line of the cache boundary, which is not sent to models." }),
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
  description: "False before the first turn has created the workspace: the files are then those that it will create.",
});

const warnings = z.array(z.string()).openapi({
  description: "Problems of workspace files: clashing names, control characters and the like.",
});

const skills = z
  .object({
    eligible: z.int().openapi({ description: "How many may be used." }),
    listed: z.int().openapi({ description: "How many of them the prompt lists." }),
    chars: z.int().openapi({ description: "Of that list." }),
    leftOut: z.int().openapi({ description: "How many others were found; GET /v1/agents/:id/skills says why." }),
    cut: z.array(z.object({ name: z.string(), reason: z.string() })).openapi({
      description: "Usable skills that the prompt leaves out for lack of space.",
    }),
    notes: z.array(z.string()).openapi({ description: "Problems of the usable skills." }),
  })
  .openapi("PromptSkills");

/** The prompt of a turn if it started now. */
export const promptLook = promptView.extend({ skills, seeded, warnings }).openapi("PromptLook");

/** The prompt that a run sent to its model. */
export const runPrompt = promptView
  .extend({
    runId: z.string().openapi({ description: "The id of the other run where this one was merged into it." }),
    purpose: z.enum(["turn", "summary"]).openapi({
      description: "`summary` for a run that only had the conversation summarized.",
    }),
    earlier: z.array(z.object({ hash: z.string(), model: z.string() })).openapi({
      description: "Earlier prompts of a run that continued after a crash or an approval: ask with `hash`.",
    }),
    summaries: z.array(z.object({ at: z.int(), model: z.string(), system: z.string() })).openapi({
      description: "The summaries made during the run, with their model and system prompt; they have no tools.",
    }),
  })
  .openapi("RunPrompt");

/** The content of the next model request. */
export const contextReport = promptLook
  .extend({
    window: z.int().openapi({ description: "The context window of the model, in tokens." }),
    messages: z
      .object({ count: z.int(), tokens: z.int() })
      .openapi({ description: "The part of the conversation that is sent." }),
    limits: z.object({ fileChars: z.int(), totalChars: z.int() }).openapi({
      description: "Most characters of one workspace file, and of all of them.",
    }),
  })
  .openapi("ContextReport");

export type Prompt = z.infer<typeof promptView>;
export type ContextReport = z.infer<typeof contextReport>;
