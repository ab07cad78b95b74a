/** A day, or a month where `day` is absent, or a year. */
export interface NamedDate {
  year: number;
  /** 1 is January. */
  month?: number;
  day?: number;
}

const ISO = /(?<!\d)(\d{4})[-_./]?(\d{2})[-_./]?(\d{2})(?!\d)/g;

/** The dates that a text names. */
export function datesIn(text: string): NamedDate[] {
  return [...text.matchAll(ISO)].map(([, year, month, day]) => ({
    year: Number(year),
    month: Number(month),
    day: Number(day),
  }));
}

/** What stands for a date in the index: for its day, its month and its year. */
export function dateTerms({ year, month, day }: NamedDate): string[] {
  const terms = [String(year)];
  if (month !== undefined) terms.push(`${year}${two(month)}`);
  if (month !== undefined && day !== undefined) terms.push(`${year}${two(month)}${two(day)}`);
  return terms;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
