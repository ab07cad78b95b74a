import { expect, test } from "vitest";
import type { Cap } from "../../src/budgets/budget-caps.ts";
import { refusalText, timeText } from "../../src/budgets/budget-report.ts";

const UTC = { zone: "UTC", hours: "auto" } as const;
const NOON = Date.UTC(2026, 10, 21, 12, 0);

const text = (cap: Cap, more: { wanted?: number; roomAt?: number } = {}) =>
  refusalText("agent:main", { cap, wanted: 1, roomAt: undefined, ...more }, NOON, UTC);

test("a refusal says which budget, which cap, and when there is room again", () => {
  expect(text({ of: "runs", minutes: 60, limit: 5 }, { roomAt: NOON + 125 * 60_000 })).toBe(
    "The budget of the agent `main` allows 5 runs an hour, and no more is left. There is room again at 14:05 (UTC).",
  );
  const all = { cap: { of: "micros", minutes: 1440, limit: 2_500_000 } as const, wanted: 9, roomAt: NOON + 1 };
  expect(refusalText("global", all, NOON, UTC)).toMatch(/all agents together allows \$2\.50 a day/);
  const few = { cap: { of: "runs", minutes: 60, limit: 1 } as const, wanted: 1, roomAt: undefined };
  expect(refusalText("unattended", few, NOON, UTC)).toMatch(
    /^The budget of heartbeats, jobs and webhooks allows 1 run an hour/,
  );
});

test("a call that never fits says so instead of a time", () => {
  expect(text({ of: "tokens", minutes: 1440, limit: 10_000 }, { wanted: 12_345 })).toBe(
    "The budget of the agent `main` allows 10,000 tokens a day, which is less than the 12,345 tokens that one reply would take.",
  );
  expect(text({ of: "runs", minutes: 60, limit: 0 })).toBe("The budget of the agent `main` allows 0 runs an hour.");
});

test("a time is the user's, the day is named where it is another one, and a started minute is a whole one", () => {
  expect(timeText(NOON + 1, NOON, { zone: "Asia/Shanghai", hours: "24" })).toBe("at 20:01 (Asia/Shanghai)");
  expect(timeText(NOON, NOON, { zone: "Asia/Shanghai", hours: "12" })).toBe("at 8:00 PM (Asia/Shanghai)");
  expect(timeText(NOON + 13 * 3_600_000, NOON, UTC)).toBe("on Sunday at 1:00 (UTC)");
});
