import { describe, expect, test } from "vitest";
import { isZone, lastAtHour, startOfDay } from "../../src/lib/zone.ts";

const at = (text: string) => Date.parse(text);
const iso = (instant: number) => new Date(instant).toISOString();

describe("the last time that the local time was an hour", () => {
  test.each([
    ["UTC", 4, "2026-03-10T04:00:00Z", "2026-03-10T04:00:00.000Z"],
    ["UTC", 4, "2026-03-10T03:59:59.999Z", "2026-03-09T04:00:00.000Z"],
    ["Asia/Shanghai", 4, "2026-03-10T19:59:59Z", "2026-03-09T20:00:00.000Z"],
    ["Asia/Shanghai", 4, "2026-03-10T20:00:01Z", "2026-03-10T20:00:00.000Z"],
    ["America/New_York", 23, "2026-01-01T02:00:00Z", "2025-12-31T04:00:00.000Z"],
    ["America/New_York", 23, "2026-01-01T04:00:00Z", "2026-01-01T04:00:00.000Z"],
    ["Asia/Kathmandu", 0, "2026-06-01T12:00:00Z", "2026-05-31T18:15:00.000Z"],
    ["Pacific/Kiritimati", 0, "2026-06-01T09:00:00Z", "2026-05-31T10:00:00.000Z"],
  ])("in %s at %d, by %s, is %s", (zone, hour, now, expected) => {
    expect(iso(lastAtHour(at(now), hour, zone))).toBe(expected);
  });

  test("is the clock change itself where that hour is skipped", () => {
    // Berlin, 29 March 2026: 01:59 is followed by 03:00.
    expect(iso(lastAtHour(at("2026-03-29T00:59:59Z"), 2, "Europe/Berlin"))).toBe("2026-03-28T01:00:00.000Z");
    expect(iso(lastAtHour(at("2026-03-29T01:00:00Z"), 2, "Europe/Berlin"))).toBe("2026-03-29T01:00:00.000Z");
  });

  test("is the first of two where clocks are put back", () => {
    // Berlin, 25 October 2026: 02:00 comes at 00:00 UTC and again an hour later.
    const first = "2026-10-25T00:00:00.000Z";
    expect(iso(lastAtHour(at("2026-10-24T23:59:59Z"), 2, "Europe/Berlin"))).toBe("2026-10-24T00:00:00.000Z");
    for (const now of [first, "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T23:00:00Z"]) {
      expect(iso(lastAtHour(at(now), 2, "Europe/Berlin"))).toBe(first);
    }
  });

  test("comes once a day and never in the future, over a year of any zone", () => {
    for (const zone of ["America/St_Johns", "Australia/Lord_Howe", "Africa/Cairo"]) {
      for (const hour of [0, 2, 23]) {
        const found = new Set<number>();
        for (let now = at("2026-01-02T00:00:00Z"); now < at("2027-01-01T00:00:00Z"); now += 11 * 3_600_000) {
          const last = lastAtHour(now, hour, zone);
          expect(last).toBeLessThanOrEqual(now);
          expect(now - last).toBeLessThan(26 * 3_600_000);
          found.add(last);
        }
        expect(found.size).toBeGreaterThanOrEqual(364);
        expect(found.size).toBeLessThanOrEqual(366);
      }
    }
  });
});

test("a day begins at midnight in its zone", () => {
  expect(iso(startOfDay(at("2026-03-10T12:00:00Z"), "Asia/Shanghai"))).toBe("2026-03-09T16:00:00.000Z");
});

test("an unknown time zone is recognized", () => {
  expect(["UTC", "Asia/Shanghai", "Europe/Berlin"].every(isZone)).toBe(true);
  expect(["", "Mars/Olympus", "CEST-ish"].some(isZone)).toBe(false);
});
