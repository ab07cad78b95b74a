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
