import { describe, expect, it } from "vitest";
import { backoffMs, withJitter } from "../../src/lib/backoff.ts";
import { sleep } from "../../src/lib/sleep.ts";

describe("exponential backoff", () => {
  it("doubles the pause with each failure, up to the longest", () => {
    const pauses = [0, 1, 2, 3, 4, 500].map((failures) => backoffMs(failures, { firstMs: 100, longestMs: 1000 }));
    expect(pauses).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it("has no longest pause unless one is given", () => {
    expect(backoffMs(10, { firstMs: 100 })).toBe(102_400);
  });

  it("spreads pauses evenly between two shares of them", () => {
    expect([0, 0.5, 1].map((chance) => withJitter(1000, chance))).toEqual([500, 1000, 1500]);
    expect([0, 0.5, 1].map((chance) => withJitter(1000, chance, [0.5, 1]))).toEqual([500, 750, 1000]);
  });
});

describe("sleep", () => {
  it("resolves after its time", async () => {
    const before = performance.now();
    await sleep(30);
    expect(performance.now() - before).toBeGreaterThanOrEqual(25);
  });

  it("resolves at once when its signal aborts, before it begins or meanwhile", async () => {
    await sleep(60_000, AbortSignal.abort());
    const controller = new AbortController();
    const slept = sleep(60_000, controller.signal);
    controller.abort();
    await slept;
  });
});
