import { expect, test } from "vitest";
import { planSteps } from "../../src/web/turns.ts";

const plan = [
  { step: "Look", status: "completed" },
  { step: "Write", status: "in_progress" },
];

test("the steps of a plan are those of its call", () => {
  expect(planSteps({ tool: "update_plan", args: { explanation: "why", plan } })).toEqual(plan);
});

test.each([
  ["another tool", { tool: "write", args: { plan } }],
  ["arguments that were no JSON", { tool: "update_plan", args: "{plan" }],
  ["no list", { tool: "update_plan", args: { plan: "all" } }],
  ["a step of no known status", { tool: "update_plan", args: { plan: [{ step: "x", status: "done" }] } }],
  ["a step without words", { tool: "update_plan", args: { plan: [{ status: "pending" }] } }],
])("a call with %s has none", (_, call) => {
  expect(planSteps(call)).toBeUndefined();
});
