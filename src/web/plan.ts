import type { ToolCall } from "./turns.ts";

/** A step of the plan that a call of `update_plan` shows. */
export interface PlanStep {
  step: string;
  status: "pending" | "in_progress" | "completed";
}

/** The plan in the arguments of a call; undefined where the call is none, or its arguments are not those of a plan. */
export function planOf({ tool, args }: Pick<ToolCall, "tool" | "args">): PlanStep[] | undefined {
  if (tool !== "update_plan" || typeof args === "string" || !Array.isArray(args.plan)) return undefined;
  const steps: unknown[] = args.plan;
  return steps.every(isStep) ? steps : undefined;
}

function isStep(value: unknown): value is PlanStep {
  if (typeof value !== "object" || value === null || !("step" in value) || !("status" in value)) return false;
  const isKnown = value.status === "pending" || value.status === "in_progress" || value.status === "completed";
  return typeof value.step === "string" && isKnown;
}
