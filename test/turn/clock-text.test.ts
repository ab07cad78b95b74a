// Commas and zeros are the business of the Unicode data that the runtime brings.
import { expect, test } from "vitest";
import { clockText, shortClockText } from "../../src/turn/clock-text.ts";

const instant = Date.parse("2026-03-05T23:07:09Z");

test.each([
  ["UTC", "auto", /^Thursday,? 5 March 2026 at 23:07 \(UTC\)$/],
  ["Asia/Shanghai", "24", /^Friday,? 6 March 2026 at 07:07 \(Asia\/Shanghai\)$/],
  ["America/New_York", "12", /^Thursday,? 5 March 2026 at 0?6:07 pm \(America\/New_York\)$/],
] as const)("in %s, written as %s, it is %s", (zone, format, expected) => {
  expect(clockText(instant, zone, format).replace(/\s/g, " ")).toMatch(expected);
});

test("midnight is written 00:00, not 24:00", () => {
  expect(shortClockText(Date.parse("2026-03-05T00:00:00Z"), "UTC", "auto")).toBe("5 Mar 2026, 00:00");
});
