import type { WeighedClue } from "./clues.ts";
import { rarity } from "./clues.ts";

/** Shorter words have too many neighbours to be taken for a slip. */
const LEAST_CHARS = 5;
/** Letters at the beginning that a slip leaves as they are: by them the vocabulary is read. */
const SURE_CHARS = 2;
/** Misspelt words of a query that are looked up. */
const MAX_SLIPS = 4;
/** What a word counts that is one letter away from what was typed. */
const SLIP_WEIGHT = 0.8;

const WORD = /^[a-z]+$/;

/** Words of a query that no chunk has, and that may be slips of one letter. */
export function possibleSlips(clues: readonly WeighedClue[]): WeighedClue[] {
  return clues
    .filter(({ chunks, where, key }) => chunks === 0 && where === "text" && key.length >= LEAST_CHARS && WORD.test(key))
    .slice(0, MAX_SLIPS);
}

/** How the words begin that such a word may stand for. */
export function beginningOf({ key }: WeighedClue): string {
  return key.slice(0, SURE_CHARS);
}

/** The clues with the most frequent word one letter away in place of each slip. */
export function mendedClues(
  clues: readonly WeighedClue[],
  terms: readonly { term: string; chunks: number }[],
  allChunks: number,
): WeighedClue[] {
  const slips = new Set(possibleSlips(clues));
  return clues.map((clue) => {
    if (!slips.has(clue)) return clue;
    const [best] = terms
      .filter(({ term }) => isOneLetterAway(clue.key, term))
      .toSorted((a, b) => b.chunks - a.chunks || a.term.localeCompare(b.term));
    if (best === undefined) return clue;
    const weight = clue.weight * SLIP_WEIGHT;
    const { term, chunks } = best;
    return { ...clue, key: term, terms: [term], weight, chunks, idf: weight * rarity(chunks, allChunks) };
  });
}

/** Whether one letter added, left out, changed or swapped with the next makes one word of the other. */
export function isOneLetterAway(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (one[at] !== undefined && one[at] === other[at]) at++;
  const [rest, otherRest] = [one.slice(at), other.slice(at)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2))
  );
}
