import type { HitReason } from "../agent-memory.ts";
import { findDates, type NamedDate } from "../text/dates.ts";
import { textTerms } from "../text/terms.ts";
import type { WeighedClue } from "./clues.ts";
import type { Line } from "./lines.ts";
import { normalizePhrase, type Query } from "./parse-query.ts";

/** Boosts, where all clues of a query count 1: for all words in the path, the exact day, an exact phrase. */
const PATH_SHARE = 0.1;
const DATE_SHARE = 0.4;
const PHRASE_SHARE = 0.25;

/** The boost of a line. */
export interface Boost {
  added: number;
  boosts: HitReason["boosts"];
}

/** Makes a function that boosts lines for the query's words or dates in the path, or an exact phrase. */
export function lineBooster(
  { dates, phrases }: Query,
  clues: readonly WeighedClue[],
): (line: Line, path: string, share: number) => Boost {
  const byPath = new Map<string, number>();
  function pathBoost(path: string): number {
    const known = byPath.get(path);
    if (known !== undefined) return known;
    const added = DATE_SHARE * dateBoost(path, dates) + PATH_SHARE * shareInPath(path, clues);
    byPath.set(path, added);
    return added;
  }
  return ({ text }, path, share) => {
    const added = pathBoost(path);
    const isPhrase = share > 0 && phrases.length > 0 && includesAny(normalizePhrase(text), phrases);
    return {
      added: added + (isPhrase ? PHRASE_SHARE : 0),
      boosts: [...(added > 0 ? (["path"] as const) : []), ...(isPhrase ? (["phrase"] as const) : [])],
    };
  };
}

function shareInPath(path: string, clues: readonly WeighedClue[]): number {
  const terms = new Set(textTerms(path.replace(/\.\w+$/, "").replaceAll("/", " ")));
  const inText = clues.filter(({ where }) => where === "text");
  const whole = totalWeight(inText);
  return whole === 0 ? 0 : totalWeight(inText.filter((clue) => clue.terms.every((term) => terms.has(term)))) / whole;
}

function totalWeight(clues: readonly WeighedClue[]): number {
  return clues.reduce((sum, { idf }) => sum + idf, 0);
}

function includesAny(text: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => text.includes(phrase));
}

const DAY_MS = 86_400_000;
/** Events are often noted some days later. */
const DAYS_AFTER = 7;
const SAME_MONTH = 0.5;
const SAME_YEAR = 0.2;

/** How close the date in a file's path is to the dates of a query: 1 is the exact day, 0 is not close. */
export function dateBoost(path: string, dates: readonly NamedDate[]): number {
  if (dates.length === 0) return 0;
  const [fileDate] = findDates(path.slice(path.lastIndexOf("/") + 1));
  return fileDate === undefined ? 0 : Math.max(...dates.map((date) => closeness(fileDate, date)));
}

function closeness(fileDate: NamedDate, { year = fileDate.year, month, day }: NamedDate): number {
  if (day === undefined || month === undefined) {
    if (fileDate.year !== year) return 0;
    if (month === undefined) return SAME_YEAR;
    return fileDate.month === month ? SAME_MONTH : 0;
  }
  const asked = startOfDay({ ...(year !== undefined && { year }), month, day });
  const written = startOfDay(fileDate);
  if (asked === undefined || written === undefined) return 0;
  const daysAfter = (written - asked) / DAY_MS;
  return daysAfter >= 0 && daysAfter <= DAYS_AFTER ? 1 / (1 + daysAfter / 3) : 0;
}

/** The start of a day in UTC; undefined if the date is incomplete. */
function startOfDay({ year, month, day }: NamedDate): number | undefined {
  return year === undefined || month === undefined || day === undefined ? undefined : Date.UTC(year, month - 1, day);
}

/** The day in a file's name, in milliseconds since the epoch in UTC; 0 for a file without one. */
export function pathDay(path: string): number {
  const [date] = findDates(path.slice(path.lastIndexOf("/") + 1));
  return (date && startOfDay(date)) ?? 0;
}

const DAILY_NOTE = /^memory\/(?:.*\/)?(\d{4}-\d{2}-\d{2})[^/]*\.md$/i;

/**
 * The factor for the age of a daily note, 0 to 1; undefined for files without a day in their name, which do not age.
 */
export function ageDecay(path: string, halfLifeDays: number, now: number): number | undefined {
  const [date] = findDates(DAILY_NOTE.exec(path)?.[1] ?? "");
  const day = date === undefined ? undefined : startOfDay(date);
  return day === undefined ? undefined : 0.5 ** (Math.max(0, now - day) / DAY_MS / halfLifeDays);
}
