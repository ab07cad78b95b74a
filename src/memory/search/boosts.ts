import { termsIn } from "../text/terms.ts";
import { comparable } from "./comparable.ts";
import type { HitReason } from "./hit.ts";
import type { Line } from "./lines.ts";
import { nearDates } from "./near-dates.ts";
import type { Query } from "./parse-query.ts";
import type { WeighedClue } from "./weigh-clues.ts";

/** What is added where having all that is looked for counts 1: for all words in the path, for the very day, for a phrase. */
const PATH_SHARE = 0.1;
const DATE_SHARE = 0.4;
const PHRASE_SHARE = 0.25;

/** What raises a line. */
export interface Boost {
  added: number;
  boosts: HitReason["boosts"];
}

/** Says what raises a line of a file: the query's words or dates in its path, or the query word for word. */
export function boostsOf(
  { dates, phrases }: Query,
  clues: readonly WeighedClue[],
): (line: Line, path: string, share: number) => Boost {
  const byPath = new Map<string, number>();
  function ofPath(path: string): number {
    const known = byPath.get(path);
    if (known !== undefined) return known;
    const added = DATE_SHARE * nearDates(path, dates) + PATH_SHARE * shareInPath(path, clues);
    byPath.set(path, added);
    return added;
  }
  return ({ text }, path, share) => {
    const added = ofPath(path);
    const isPhrase = share > 0 && phrases.length > 0 && hasOne(comparable(text), phrases);
    return {
      added: added + (isPhrase ? PHRASE_SHARE : 0),
      boosts: [...(added > 0 ? (["path"] as const) : []), ...(isPhrase ? (["phrase"] as const) : [])],
    };
  };
}

function shareInPath(path: string, clues: readonly WeighedClue[]): number {
  const terms = new Set(termsIn(path.replace(/\.\w+$/, "").replaceAll("/", " ")));
  const inText = clues.filter(({ where }) => where === "text");
  const whole = sumOf(inText);
  return whole === 0 ? 0 : sumOf(inText.filter((clue) => clue.terms.every((term) => terms.has(term)))) / whole;
}

function sumOf(clues: readonly WeighedClue[]): number {
  return clues.reduce((sum, { tells }) => sum + tells, 0);
}

function hasOne(text: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => text.includes(phrase));
}
