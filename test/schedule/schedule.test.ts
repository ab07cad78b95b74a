import { expect, test } from "vitest";
import { isActiveAt } from "../../src/schedule/active-hours.ts";
import { completeJob, jobFields } from "../../src/schedule/job.ts";
import { nextRuns, parseInstant } from "../../src/schedule/schedule.ts";

const at = (text: string) => Date.parse(text);

test("a daily job in the hour that is left out runs when the gap ends, and the next day as ever", () => {
  const schedule = { kind: "cron", expr: "30 2 * * *", tz: "Europe/Berlin" } as const;
  const runs = nextRuns(schedule, at("2026-03-28T12:00:00Z"), "UTC", 2);
  expect(runs.map((run) => new Date(run).toISOString())).toEqual([
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
});

test("a daily job in the hour that comes twice runs once", () => {
  const schedule = { kind: "cron", expr: "30 2 * * *", tz: "Europe/Berlin" } as const;
  const runs = nextRuns(schedule, at("2026-10-24T12:00:00Z"), "UTC", 2);
  expect(runs.map((run) => new Date(run).toISOString())).toEqual([
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
});

test("a time without an offset is the user's, the first of two equal ones", () => {
  expect(parseInstant("2026-11-23T09:00", "Asia/Shanghai")).toBe(at("2026-11-23T01:00:00Z"));
  expect(parseInstant("2026-10-25 02:30:00", "Europe/Berlin")).toBe(at("2026-10-25T00:30:00Z"));
});

test("a local time that the clocks leave out is refused with the reason", () => {
  expect(() => parseInstant("2026-03-29T02:30:00", "Europe/Berlin")).toThrow(
    "2026-03-29T02:30:00 does not exist in Europe/Berlin: the clocks are put forward then.",
  );
});

test.each(["明天早上九点", "in 5 minutes", "2027-02-29", "2026-11-23T25:00:00Z", ""])("%j is no time", (text) => {
  expect(() => parseInstant(text, "UTC")).toThrow("use ISO 8601, such as");
});

test("what croner does not take names the expression and the reason", () => {
  expect(() => nextRuns({ kind: "cron", expr: "61 * * * *" }, 0, "UTC", 1)).toThrow(
    '"61 * * * *" is no cron expression',
  );
  expect(() => nextRuns({ kind: "cron", expr: "* * * * *", tz: "Mars/Olympus" }, 0, "UTC", 1)).toThrow(
    '"Mars/Olympus" is no time zone',
  );
});

test("an interval stays on its grid, whatever it is counted from", () => {
  const schedule = { kind: "every", everyMs: 90_000, anchorMs: 30_000 } as const;
  expect(nextRuns(schedule, 30_000, "UTC", 3)).toEqual([120_000, 210_000, 300_000]);
});

test("active hours over midnight, and none where both ends are equal", () => {
  const night = { start: "22:00", end: "06:00", timezone: "Asia/Shanghai" };
  expect(isActiveAt(night, "UTC", at("2026-03-01T15:00:00Z"))).toBe(true);
  expect(isActiveAt(night, "UTC", at("2026-02-28T22:00:00Z"))).toBe(false);
  expect(isActiveAt({ start: "08:00", end: "08:00" }, "UTC", at("2026-03-01T08:00:00Z"))).toBe(false);
  expect(isActiveAt(undefined, "UTC", 0)).toBe(true);
});

test("an event goes to the main session, a task to one of its own, and what runs once is deleted", () => {
  const once = jobFields.parse({
    name: "Tea",
    schedule: { kind: "at", at: "2026-11-23T09:00:00Z" },
    payload: { kind: "systemEvent", text: "tea" },
  });
  expect(completeJob(once, "main", 5)).toMatchObject({
    agentId: "main",
    sessionTarget: "main",
    deleteAfterRun: true,
    delivery: { mode: "announce" },
  });
  const task = { ...once, schedule: { kind: "every", everyMs: 60_000 } as const };
  expect(completeJob({ ...task, payload: { kind: "agentTurn", message: "look" } }, "ops", 5)).toMatchObject({
    agentId: "ops",
    sessionTarget: "isolated",
    deleteAfterRun: false,
    schedule: { anchorMs: 5 },
  });
});
