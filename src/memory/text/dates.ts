/** A day, a month or a year named in a text; unknown parts are absent. */
export interface NamedDate {
  year?: number;
  /** 1 is January. */
  month?: number;
  day?: number;
}

const MONTHS = "january february march april may june july august september october november december".split(" ");
const MONTH = MONTHS.map((name) => (name === "may" ? name : `${name.slice(0, 3)}(?:${name.slice(3)}|t)?`)).join("|");
const NAME = String.raw`(?<name>${MONTH})\b\.?`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?\b`;
const YEAR = String.raw`(?<year>(?:19|20)\d\d)`;
const EAST_MONTH = String.raw`(?<month>\d{1,2})\s*[月월](?:\s*(?<day>\d{1,2})\s*[日号號일])?`;

/** Tried in this order; a match is removed before the next spelling is tried. */
const SPELLINGS = [
  String.raw`(?<!\d)${YEAR}(?<mark>[-_./]?)(?<month>\d\d)\k<mark>(?<day>\d\d)(?!\d)`,
  String.raw`${YEAR}\s*[年년](?:\s*${EAST_MONTH})?`,
  String.raw`(?<!\d)${EAST_MONTH}`,
  String.raw`\b${DAY}(?:\s+of)?\s+${NAME}(?:,?\s+${YEAR}\b)?`,
  String.raw`\b${NAME}\s+${DAY}(?:,?\s+${YEAR}\b)?`,
  String.raw`\b${NAME},?\s+(?:of\s+)?${YEAR}\b`,
  String.raw`(?<!\d)${YEAR}-(?<month>\d\d)(?!\d)`,
  // "may" and "march" are also ordinary words.
  String.raw`\b(?:in|during|since|until|of|last|next|this|early|late|mid)[\s-]+${NAME}`,
  String.raw`(?<!\d)${YEAR}(?!\d)`,
].map((spelling) => new RegExp(spelling, "giu"));

/** The dates in a text, in digits or in English, Chinese, Japanese or Korean words. */
export function findDates(text: string): NamedDate[] {
  const dates: NamedDate[] = [];
  let rest = text;
  for (const spelling of SPELLINGS) {
    rest = rest.replace(spelling, (...match) => {
      const date = parseDate(match.at(-1));
      if (date === undefined) return match[0];
      dates.push(date);
      return " ";
    });
  }
  return dates;
}

function parseDate({ year, month, name, day }: Record<string, string | undefined>): NamedDate | undefined {
  const date: NamedDate = {};
  if (year !== undefined) date.year = Number(year);
  if (month !== undefined) date.month = Number(month);
  if (name !== undefined) date.month = 1 + MONTHS.findIndex((full) => full.startsWith(name.slice(0, 3).toLowerCase()));
  if (day !== undefined) date.day = Number(day);
  return isBetween(date.month, 12) && isBetween(date.day, 31) ? date : undefined;
}

function isBetween(number: number | undefined, last: number): boolean {
  return number === undefined || (number >= 1 && number <= last);
}

/** The terms of a date in the index: its year, month and day, as far as they are known from the year on. */
export function dateTerms({ year, month, day }: NamedDate): string[] {
  if (year === undefined) return [];
  const terms = [String(year)];
  if (month !== undefined) terms.push(`${year}${padded(month)}`);
  if (month !== undefined && day !== undefined) terms.push(`${year}${padded(month)}${padded(day)}`);
  return terms;
}

function padded(number: number): string {
  return String(number).padStart(2, "0");
}

const DAY_MS = 86_400_000;

/** Days and spans named by their distance from today, each with the dates that it stands for. */
const RELATIVE: readonly [RegExp, (today: Date) => NamedDate[]][] = [
  [/\b(?:the )?day before yesterday\b|前天|一昨日|おととい|그저께/giu, (today) => days(today, -2, 1)],
  [/(?<!before )\byesterday\b|昨[天日晚]|きのう|어제/giu, (today) => days(today, -1, 1)],
  [/\btoday\b|\bthis (?:morning|afternoon|evening)\b|今[天日早晚]|きょう|오늘/giu, (today) => days(today, 0, 1)],
  [/\blast week\b|上(?:个)?(?:周|星期|礼拜)|先週|지난주/giu, (today) => days(today, -7 - sinceMonday(today), 7)],
  [/\bthis week\b|[本这](?:个)?(?:周|星期|礼拜)|今週|이번 ?주/giu, (today) => days(today, -sinceMonday(today), 7)],
  [/\blast month\b|上个?月|先月|지난 ?달/giu, (today) => [monthOf(today, -1)]],
  [/\bthis month\b|这个?月|本月|今月|이번 ?달/giu, (today) => [monthOf(today, 0)]],
  [/\blast year\b|去年|작년/giu, (today) => [{ year: today.getUTCFullYear() - 1 }]],
];

/**
 * The dates that a text names by their distance from today, in English, Chinese, Japanese or Korean. A library of dates
 * gives one instant for "last week"; here it is its seven days.
 * @param today the local day, as `2026-11-21`
 */
export function findRelativeDates(text: string, today: string): NamedDate[] {
  const start = new Date(`${today}T00:00:00Z`);
  return RELATIVE.flatMap(([spelling, dates]) => (text.search(spelling) === -1 ? [] : dates(start)));
}

function days(today: Date, from: number, count: number): NamedDate[] {
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(today.getTime() + (from + at) * DAY_MS);
    return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() };
  });
}

function sinceMonday(today: Date): number {
  return (today.getUTCDay() + 6) % 7;
}

function monthOf(today: Date, months: number): NamedDate {
  const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1));
  return { year: first.getUTCFullYear(), month: first.getUTCMonth() + 1 };
}
