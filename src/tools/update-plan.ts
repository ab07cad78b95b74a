import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";

const MAX_STEPS = 50;

const step = z.strictObject({
  step: z.string().min(1).max(500).describe("A few words"),
  status: z.enum(["pending", "in_progress", "completed"]),
});

const parameters = z.strictObject({
  explanation: z.string().max(2000).optional().describe("Why the plan changes"),
  plan: z
    .array(step)
    .min(1)
    .max(MAX_STEPS)
    .refine((steps) => steps.filter(({ status }) => status === "in_progress").length <= 1, {
      error: "only one step may be in_progress",
    })
    .describe("All steps in order; at most one is in_progress"),
});

/** Shows the plan of the agent's work. The plan is in the call itself, where people and the model see it. */
export function updatePlanTool(): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "update_plan",
    summary: "Say or change the plan of work that takes several steps",
    description:
      "Shows people the plan of your work and how far it is. Give all steps each time, with what is done completed.",
    parameters,
    replay: "safe",
    sequential: false,
    run: async () => ({ text: "Plan updated." }),
  });
}
