import { expect, test } from "vitest";
import { isOver } from "../../src/session-store/run-start.ts";

const at = (text: string) => Date.parse(text);
const daily = { mode: "daily", atHour: 4, zone: "Asia/Shanghai" } as const;
const idle = { mode: "idle", idleMinutes: 60 } as const;

test("a daily conversation is over once its hour has come in the user's zone since somebody spoke", () => {
  const evening = at("2026-05-01T22:00:00+08:00");
  expect(isOver(daily, evening, at("2026-05-02T03:59:59+08:00"))).toBe(false);
  expect(isOver(daily, evening, at("2026-05-02T04:00:00+08:00"))).toBe(true);
  expect(isOver(daily, at("2026-05-02T04:00:00+08:00"), at("2026-05-02T23:00:00+08:00"))).toBe(false);
  expect(isOver(daily, evening, at("2026-06-15T12:00:00+08:00"))).toBe(true);
});

test("an idle conversation is over after its pause, not before", () => {
  const then = at("2026-05-01T22:00:00Z");
  expect(isOver(idle, then, then + 60 * 60_000 - 1)).toBe(false);
  expect(isOver(idle, then, then + 60 * 60_000)).toBe(true);
});

test("no conversation is over when the time of its last message is unknown", () => {
  expect(isOver(daily, 0, at("2026-05-01T22:00:00Z"))).toBe(false);
  expect(isOver(idle, 0, at("2026-05-01T22:00:00Z"))).toBe(false);
});
