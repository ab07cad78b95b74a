/** How times of day are written; `auto` is 24. */
export type TimeFormat = "auto" | "12" | "24";

/** A date and time in the format of a time zone's users, with the weekday. */
export function clockText(instant: number, timeZone: string, format: TimeFormat): string {
  const hourCycle = format === "12" ? "h12" : "h23";
  const written = new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle, dateStyle: "full", timeStyle: "short" });
  return `${written.format(instant)} (${timeZone})`;
}

/** A date and time to the minute, for a line. */
export function shortClockText(instant: number, timeZone: string, format: TimeFormat): string {
  const hourCycle = format === "12" ? "h12" : "h23";
  const written = new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle, dateStyle: "medium", timeStyle: "short" });
  return written.format(instant);
}
