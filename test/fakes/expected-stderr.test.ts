import { expect, test } from "vitest";
import { withoutExpected } from "./expected-stderr.ts";

const KILLED =
  "uncaught exception; exception = workerd/api/actor-state.c++:1249: failed: broken.outputGateBroken; jsg.Error: killed by a test\n" +
  "stack: /bin/workerd@284e4dc /bin/workerd@2840f20\n";
const DOWN =
  "uncaught exception; source = Uncaught (in promise); stack = Error: down\n    at fail (/test/flow/budgets.workers.test.ts:453:9)\n";
const UNEXPECTED =
  "uncaught exception; source = Uncaught (in promise); stack = TypeError: undefined is not a function\n    at claim (/src/session/budget.ts:9:1)\n";

test("workerd's report of an object that a test kills, or of a failure that a test makes, is not printed", () => {
  expect(withoutExpected(KILLED)).toBe("");
  expect(withoutExpected(KILLED + DOWN)).toBe("");
});

test("workerd's report of an unexpected exception is printed with its stack, also between expected ones", () => {
  expect(withoutExpected(UNEXPECTED)).toBe(UNEXPECTED);
  expect(withoutExpected(KILLED + UNEXPECTED + DOWN)).toBe(UNEXPECTED);
});

test("an exception with an expected word in another place is printed", () => {
  const other = "exception = workerd/api/actor-state.c++:1: failed: jsg.Error: lost\n";
  expect(withoutExpected(other)).toBe(other);
});
