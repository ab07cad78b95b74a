import { expect, test } from "vitest";
import { addUsage, NO_USAGE } from "../../src/models/message.ts";
import { costOf, FREE, priced } from "../../src/models/price.ts";

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

test("a call costs its input and output tokens at their prices per million", () => {
  expect(costOf({ ...NO_USAGE, input: 1_000_000, output: 1_000_000 }, PRICE)).toBe(18_000_000);
});

test("cached input has its own prices and is not counted twice", () => {
  const usage = { ...NO_USAGE, input: 1000, cacheRead: 600, cacheWrite: 300, output: 10 };
  expect(costOf(usage, PRICE)).toBe(Math.round(100 * 3 + 600 * 0.3 + 300 * 3.75 + 10 * 15));
});

test("cached input without its own price costs as much as input", () => {
  const usage = { ...NO_USAGE, input: 1000, cacheRead: 600, cacheWrite: 300 };
  expect(costOf(usage, { input: 2, output: 0 })).toBe(2000);
});

test("reasoning is part of the output and costs nothing extra", () => {
  expect(costOf({ ...NO_USAGE, output: 100, reasoning: 90 }, PRICE)).toBe(1500);
});

test("a cache count above the input does not make a call cheaper", () => {
  expect(costOf({ ...NO_USAGE, input: 10, cacheRead: 20 }, { input: 5, output: 0, cacheRead: 1 })).toBe(20);
});

test("costs add up over models with and without a price, and are unknown if none has one", () => {
  const tokens = { ...NO_USAGE, input: 100, output: 10 };
  const dear = priced(tokens, PRICE);
  expect(dear.costMicros).toBe(450);
  expect(addUsage(dear, priced(tokens, undefined)).costMicros).toBe(450);
  expect(addUsage(dear, priced(tokens, { input: 1, output: 1 })).costMicros).toBe(560);
  expect(addUsage(tokens, tokens)).not.toHaveProperty("costMicros");
  expect(priced(tokens, FREE).costMicros).toBe(0);
});
