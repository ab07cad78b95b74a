import { expect, test } from "vitest";
import { updatePlanTool } from "../../src/tools/update-plan.ts";

const { parameters, run, replay } = updatePlanTool();
const step = (status: string, text = "Look") => ({ step: text, status });

test("update_plan accepts steps of every status and is safe to replay", async () => {
  const plan = parameters.parse({
    explanation: "why",
    plan: [step("completed"), step("in_progress"), step("pending")],
  });
  const call = {
    callId: "c",
    approved: false,
    signal: new AbortController().signal,
    now: () => 0,
    update: () => undefined,
  };
  expect(await run(plan, call)).toEqual({ text: "Plan updated." });
  expect(replay).toBe("safe");
});

test.each([
  ["no step", { plan: [] }],
  ["more than 50 steps", { plan: Array.from({ length: 51 }, () => step("pending")) }],
  ["two steps at once", { plan: [step("in_progress"), step("in_progress")] }],
  ["an unknown status", { plan: [step("done")] }],
  ["an empty step", { plan: [step("pending", "")] }],
  ["a step without end", { plan: [step("pending", "x".repeat(501))] }],
  ["something else besides", { plan: [step("pending")], more: true }],
])("a plan with %s is refused", (_, args) => {
  expect(parameters.safeParse(args).success).toBe(false);
});
