import { expect, test } from "vitest";
import { moneyText, tokenText, totalText } from "../../../src/turn/output/amount-text.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1.0k"],
  [9949, "9.9k"],
  [9951, "10k"],
  [128_000, "128k"],
  [999_499, "999k"],
  [999_500, "1.0M"],
  [12_345_678, "12M"],
])("%d tokens are %s", (tokens, expected) => {
  expect(tokenText(tokens)).toBe(expected);
});

test.each([
  [0, "$0.00"],
  [123, "$0.0001"],
  [999_999, "$1.0000"],
  [1_234_567, "$1.23"],
])("%d micros are %s", (micros, expected) => {
  expect(moneyText(micros)).toBe(expected);
});

test("the cost of several runs says when a price is unknown", () => {
  const total = { runs: 2, input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costMicros: 2000, unpriced: 0 };
  expect(totalText(total)).toBe("2 runs, 10 tokens in, 5 out, about $0.0020");
  expect(totalText({ ...total, unpriced: 1 })).toBe("2 runs, 10 tokens in, 5 out, at least $0.0020");
  expect(totalText({ ...total, unpriced: 2 })).toBe("2 runs, 10 tokens in, 5 out, no price known");
  expect(totalText({ ...total, runs: 0 })).toBe("nothing");
});
