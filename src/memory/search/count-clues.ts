import { irregularForms } from "../text/irregular.ts";
import { piecesOf } from "../text/pieces.ts";
import { termsOfWord } from "../text/terms.ts";

/** What of the query a text has. */
export interface Clues {
  /** How often it has each clue, by the clue's place among the clues. */
  counts: ReadonlyMap<number, number>;
  /** How many words it has. */
  words: number;
}

export type Counter = (text: string) => Clues;

/** Counts clues in texts, by their keys. */
export function clueCounter(keys: readonly string[]): Counter {
  const places = new Map(keys.map((key, at) => [key, at]));
  const initials = initialsOf(places);
  return (text) => {
    const counts = new Map<number, number>();
    let words = 0;
    function count(key: string): void {
      const place = places.get(key);
      if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    for (const { kind, text: piece } of piecesOf(text)) {
      if (kind === "word") {
        words++;
        if (isPlain(piece) && !initials.has(piece.charCodeAt(0) | LOWER)) continue;
        for (const term of termsOfWord(piece)) count(term);
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

/** Makes a capital of ASCII a small letter. */
const LOWER = 0x20;
const [A, Z] = [0x61, 0x7a];

/** With what letters a plain word begins that may have a clue: a stem begins as its word, unless that is irregular. */
function initialsOf(keys: ReadonlyMap<string, number>): Set<number> {
  const initials = new Set(Array.from(keys.keys(), (key) => key.charCodeAt(0)));
  for (const [form, word] of irregularForms()) {
    if (termsOfWord(word).some((term) => keys.has(term))) initials.add(form.charCodeAt(0));
  }
  return initials;
}

/** Whether a word is of small letters of ASCII, but for its first. Most are, and they need no further look to be passed over. */
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = at === 0 ? word.charCodeAt(0) | LOWER : word.charCodeAt(at);
    if (code < A || code > Z) return false;
  }
  return true;
}
