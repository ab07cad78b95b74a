const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether a text is the name of a time zone. */
export function isZone(text: string): boolean {
  try {
    return Boolean(zoneFormat(text));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * The latest instant up to `now` at which the local time was `hour`: once a day, also when clocks change (the first of
 * two such hours; the change itself where the hour is skipped).
 * @param zone an IANA zone
 */
export function lastAtHour(now: number, hour: number, zone: string): number {
  const date = new Date(wallClock(now, zone));
  const on = (day: number) =>
    firstInstant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + day, hour), zone);
  const today = on(0);
  return today <= now ? today : on(-1);
}

/** The start of the local day. */
export function startOfDay(now: number, zone: string): number {
  return lastAtHour(now, 0, zone);
}

/** The local time, as `2026-11-21 18:40`. */
export function localTime(instant: number, zone: string): string {
  return new Date(wallClock(instant, zone)).toISOString().slice(0, 16).replace("T", " ");
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** The local time with its weekday, as `Sat 2026-11-21 18:40`. */
export function weekdayTime(instant: number, zone: string): string {
  return `${WEEKDAYS[new Date(wallClock(instant, zone)).getUTCDay()]} ${localTime(instant, zone)}`;
}

/** The minute of the local day, from 0. */
export function minuteOfDay(instant: number, zone: string): number {
  const wall = new Date(wallClock(instant, zone));
  return wall.getUTCHours() * 60 + wall.getUTCMinutes();
}

/**
 * The first instant with a local time; undefined if the clocks leave it out.
 * @param wall the local time to the second, as if it were UTC
 */
export function instantAt(wall: number, zone: string): number | undefined {
  const before = wall - offsetAt(wall - DAY_MS, zone);
  const after = wall - offsetAt(wall + DAY_MS, zone);
  return [Math.min(before, after), Math.max(before, after)].find((at) => wallClock(at, zone) === wall);
}

/** The same, and the end of the gap's length later where the clocks leave it out. */
function firstInstant(wall: number, zone: string): number {
  return instantAt(wall, zone) ?? wall - offsetAt(wall - DAY_MS, zone);
}

function offsetAt(instant: number, zone: string): number {
  return wallClock(instant, zone) - Math.floor(instant / 1000) * 1000;
}

/** The local time to the second, as if it were UTC. */
function wallClock(instant: number, zone: string): number {
  const parts = new Map(
    zoneFormat(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = FIELDS.map((field) => parts.get(field));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const FIELDS = ["year", "month", "day", "hour", "minute", "second"] as const;

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = "numeric" as const;
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  const format = new Intl.DateTimeFormat("en-US", { timeZone, calendar: "gregory", hourCycle: "h23", ...fields });
  formats.set(timeZone, format);
  return format;
}
