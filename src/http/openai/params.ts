import { z } from "@hono/zod-openapi";
import type { ThinkingLevel } from "../../models/model.ts";

/** `model`: which agent answers. */
export const MODEL_PARAM = z.string().min(1).openapi({
  example: "isopod/main",
  description:
    "`isopod/<agentId>`, or `isopod` for the default agent; `openclaw/<agentId>` and `openclaw:<agentId>` too.",
});

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** How much the model is to think. */
export const reasoningEffort = z.enum(EFFORTS).nullish();

/** Extensions of ours in a body. */
export const toolsShown = z
  .object({ tools: z.enum(["show", "hide"]).optional() })
  .optional()
  .openapi({
    description: "`tools: show` shows the agent's own tool calls, as the header `x-isopod-tools: show` does.",
  });

/** A parameter that may only be absent, null, false or 0, because anything else asks for what is not there. */
export function unsupported(why: string) {
  return z
    .unknown()
    .refine((value) => value === undefined || value === null || value === false || value === 0, why)
    .optional();
}

/** Refuses tools of the caller's own, unless it says that none is to be called. */
export function noTools(ctx: z.RefinementCtx, param: string, tools: unknown, choice: unknown): void {
  if (!Array.isArray(tools) || tools.length === 0 || choice === "none") return;
  const message = "the agent has its own tools and cannot call the caller's";
  ctx.addIssue({ code: "custom", path: [param], message });
}

/** The level of thinking that an effort stands for; undefined where none is named. */
export function thinkingOf(effort: (typeof EFFORTS)[number] | null | undefined): ThinkingLevel | undefined {
  if (effort === undefined || effort === null) return undefined;
  if (effort === "none") return "off";
  return effort === "xhigh" || effort === "max" ? "high" : effort;
}

/** Whether a caller wants to see the agent's own tool calls. */
export function showsTools(header: string | undefined, extension: z.infer<typeof toolsShown>): boolean {
  return (extension?.tools ?? header) === "show";
}
