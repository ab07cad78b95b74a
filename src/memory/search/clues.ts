import { irregularForms } from "../text/english.ts";
import { splitPieces } from "../text/pieces.ts";
import { wordTerms } from "../text/terms.ts";
import type { Clue } from "./parse-query.ts";

/** A clue with its weight in this index. */
export interface WeighedClue extends Clue {
  /** Approximate number of chunks with it. */
  chunks: number;
  /** Weighted inverse document frequency: low for a frequent clue. */
  idf: number;
}

/** Clues that a search uses; of more clues, those with the highest weight. */
const MAX_CLUES = 64;
/** Characters of one word are adjacent more often than by chance. */
const TOGETHER = 4;

/** Weighs clues by the number of chunks with their terms. Clues in no chunk are kept. */
export function weighClues(
  clues: readonly Clue[],
  chunksWith: ReadonlyMap<string, number>,
  allChunks: number,
): WeighedClue[] {
  const weighed = clues.map((clue) => {
    const counts = clue.terms.map((term) => Math.min(chunksWith.get(term) ?? 0, allChunks));
    const chunks = counts.length === 1 ? (counts[0] ?? 0) : countAdjacent(counts, allChunks);
    return { ...clue, chunks, idf: clue.weight * rarity(chunks, allChunks) };
  });
  return weighed.toSorted((a, b) => b.idf - a.idf).slice(0, MAX_CLUES);
}

/** BM25's inverse document frequency, in the form that is never negative. */
export function rarity(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

function countAdjacent(counts: readonly number[], all: number): number {
  if (counts.includes(0)) return 0;
  const byChance = counts.reduce((share, count) => (share * count) / all, all);
  return Math.max(1, Math.min(byChance * TOGETHER, ...counts));
}

/** The clues in a text. */
export interface ClueCounts {
  /** The number of occurrences of each clue, by the clue's index. */
  counts: ReadonlyMap<number, number>;
  /** Number of words. */
  words: number;
}

/** Counts clues in a text. */
export type ClueCounter = (text: string) => ClueCounts;

/** Makes a counter of clues with the given keys. */
export function clueCounter(keys: readonly string[]): ClueCounter {
  const indexes = new Map(keys.map((key, at) => [key, at]));
  const initials = firstLetters(indexes);
  return (text) => {
    const counts = new Map<number, number>();
    let words = 0;
    function count(key: string): void {
      const index = indexes.get(key);
      if (index !== undefined) counts.set(index, (counts.get(index) ?? 0) + 1);
    }
    for (const { kind, text: piece } of splitPieces(text)) {
      if (kind === "word") {
        words++;
        if (isPlain(piece) && !initials.has(piece.charCodeAt(0) | LOWER)) continue;
        for (const term of wordTerms(piece)) count(term);
        continue;
      }
      let last = "";
      for (const character of kind === "run" ? piece : [piece]) {
        words++;
        count(character);
        if (last !== "") count(last + character);
        last = character;
      }
    }
    return { counts, words };
  };
}

/** Makes an ASCII letter lower case. */
const LOWER = 0x20;
const [A, Z] = [0x61, 0x7a];

/** First letters of plain words that can have a clue. A stem begins like its word, except for irregular forms. */
function firstLetters(keys: ReadonlyMap<string, number>): Set<number> {
  const initials = new Set(Array.from(keys.keys(), (key) => key.charCodeAt(0)));
  for (const [form, word] of irregularForms()) {
    if (wordTerms(word).some((term) => keys.has(term))) initials.add(form.charCodeAt(0));
  }
  return initials;
}

/**
 * Whether a word is lower-case ASCII except for its first letter. Most words are, and can be skipped by that letter.
 */
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = at === 0 ? word.charCodeAt(0) | LOWER : word.charCodeAt(at);
    if (code < A || code > Z) return false;
  }
  return true;
}
