import { datesIn, dateTerms, type NamedDate } from "../text/dates.ts";
import { type Piece, piecesOf } from "../text/pieces.ts";
import { isStopWord } from "../text/stop-words.ts";
import { termsOfWord } from "../text/terms.ts";
import { comparable } from "./comparable.ts";

/** What a query looks for. */
export interface Query {
  clues: Clue[];
  dates: NamedDate[];
  /** Texts that count more where they stand word for word, in the form of `comparable`. */
  phrases: string[];
}

/** One thing that a passage, or the path of its file, can have. */
export interface Clue {
  /** A term, or two characters that stand side by side; of a date in a path, its term behind an `@`. */
  key: string;
  /** The terms of the index that stand side by side. */
  terms: readonly string[];
  where: "text" | "path";
  /** As the query spells it. */
  spelled: string;
  /** 1, or less where others tell more. */
  weight: number;
}

/** Of a run that is longer, or of a single character, the characters count by themselves (contract §6). */
const LONGEST_RUN_OF_PAIRS = 4;
const CHARACTER_WEIGHT = 0.5;
/** Most clues that the index is asked about. */
const MAX_CLUES = 512;
const QUOTED = /["“”«»「」『』]([^"“”«»「」『』]{2,200})["“”«»「」『』]/gu;

/** What a text looks for. Nothing in it is an operator; English words that say nothing count only where there is nothing else. */
export function parseQuery(text: string): Query {
  const pieces = [...piecesOf(text)];
  const telling = pieces.filter(({ kind, text: word }) => kind !== "word" || !isStopWord(word));
  const dates = datesIn(text);
  const clues = new Map<string, Clue>();
  for (const clue of [...dates.flatMap(dateClues), ...(telling.length === 0 ? pieces : telling).flatMap(cluesOf)]) {
    if (clues.size < MAX_CLUES && !clues.has(clue.key)) clues.set(clue.key, clue);
  }
  return { clues: [...clues.values()], dates, phrases: phrasesOf(text, pieces) };
}

function cluesOf({ kind, text }: Piece): Clue[] {
  if (kind === "run") return runClues(text);
  const terms = kind === "word" ? termsOfWord(text) : [text];
  return terms.map((term) => ({ key: term, terms: [term], where: "text", spelled: text, weight: 1 }));
}

function runClues(run: string): Clue[] {
  const characters = [...run];
  const pairs = characters.slice(1).map((character, at) => textClue([characters[at] ?? "", character], 1));
  if (characters.length === 1) return [textClue(characters, 1)];
  if (characters.length <= LONGEST_RUN_OF_PAIRS) return pairs;
  return [...pairs, ...characters.map((character) => textClue([character], CHARACTER_WEIGHT))];
}

function textClue(characters: string[], weight: number): Clue {
  const key = characters.join("");
  return { key, terms: characters, where: "text", spelled: key, weight };
}

function dateClues(date: NamedDate): Clue[] {
  const term = dateTerms(date).at(-1);
  return term === undefined ? [] : [{ key: `@${term}`, terms: [term], where: "path", spelled: term, weight: 1 }];
}

/** The whole query where it is more than a word, and what stands in quotation marks. */
function phrasesOf(text: string, pieces: readonly Piece[]): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, phrase = ""]) => comparable(phrase));
  const isMore = pieces.length > 1 || (pieces[0]?.kind === "run" && pieces[0].text.length > 2);
  return [...new Set(isMore ? [comparable(text), ...quoted] : quoted)].filter((phrase) => phrase !== "");
}
