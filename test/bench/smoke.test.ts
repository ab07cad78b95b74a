import { expect, test } from "vitest";
import { faultsIn } from "./smoke.ts";

test("a report of numbers within the limits has no faults", () => {
  expect(faultsIn({ statementsPerTurn: 10, ratio: { turnEnd: 99 }, search: { mode: "keywords" } })).toEqual([]);
});

test("a figure that is no number and a count above its limit are faults", () => {
  expect(faultsIn({ deltas: { 500: { ratio: Number.NaN } }, statementsPerTurn: 1000 })).toEqual([
    "deltas.500.ratio is NaN.",
    expect.stringMatching(/^statementsPerTurn is 1000, and at most/),
  ]);
});
