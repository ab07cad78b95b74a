import { datesIn, type NamedDate } from "../text/dates.ts";

const DAY_MS = 86_400_000;
/** What was on a day is often noted some days later. */
const DAYS_AFTER = 7;
const SAME_MONTH = 0.5;
const SAME_YEAR = 0.2;

/** How near the date in a file's path is to dates that a query names: 1 is the very day, 0 is not near. */
export function nearDates(path: string, dates: readonly NamedDate[]): number {
  if (dates.length === 0) return 0;
  const [noted] = datesIn(path.slice(path.lastIndexOf("/") + 1));
  return noted === undefined ? 0 : Math.max(...dates.map((date) => nearness(noted, date)));
}

function nearness(noted: NamedDate, { year = noted.year, month, day }: NamedDate): number {
  if (day === undefined || month === undefined) {
    if (noted.year !== year) return 0;
    if (month === undefined) return SAME_YEAR;
    return noted.month === month ? SAME_MONTH : 0;
  }
  const asked = instantOf({ ...(year !== undefined && { year }), month, day });
  const written = instantOf(noted);
  if (asked === undefined || written === undefined) return 0;
  const daysAfter = (written - asked) / DAY_MS;
  return daysAfter >= 0 && daysAfter <= DAYS_AFTER ? 1 / (1 + daysAfter / 3) : 0;
}

/** The beginning of a day; undefined where not all of it is named. */
export function instantOf({ year, month, day }: NamedDate): number | undefined {
  return year === undefined || month === undefined || day === undefined ? undefined : Date.UTC(year, month - 1, day);
}
