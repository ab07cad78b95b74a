import { dateTerms, findDates, findRelativeDates, type NamedDate } from "../text/dates.ts";
import { isStopWord } from "../text/english.ts";
import { type Piece, splitPieces } from "../text/pieces.ts";
import { wordTerms } from "../text/terms.ts";

/** A parsed query. */
export interface Query {
  clues: Clue[];
  dates: NamedDate[];
  /** Texts that score more if they occur exactly, in the form of `normalizePhrase`. */
  phrases: string[];
}

/** Something that a passage or the path of its file can contain. */
export interface Clue {
  /** A term or two adjacent characters; for a date in a path, `@` and its term. */
  key: string;
  /** Adjacent terms of the index. */
  terms: readonly string[];
  where: "text" | "path";
  /** Spelled as in the query. */
  spelled: string;
  /** 1, or less for a weaker clue. */
  weight: number;
}

/** In longer runs the single characters are clues too. */
const LONGEST_RUN_OF_PAIRS = 4;
const CHARACTER_WEIGHT = 0.5;
/** "Last week" stands for seven days, most of them without a note: they find files, and the missing ones cost nothing. */
const RELATIVE_WEIGHT = 0.01;
/** Clues whose frequency is read from the index. */
const MAX_CLUES = 512;
const QUOTED = /["“”«»「」『』]([^"“”«»「」『』]{2,200})["“”«»「」『』]/gu;

/**
 * Parses a query. It has no operators; stop words count only if there are no other words.
 * @param today the local day, as `2026-11-21`, by which "last week" is understood; absent for no such words
 */
export function parseQuery(text: string, today?: string): Query {
  const pieces = [...splitPieces(text)];
  const significant = pieces.filter(({ kind, text: word }) => kind !== "word" || !isStopWord(word));
  const relative = today === undefined ? [] : findRelativeDates(text, today);
  const dates = findDates(text);
  const clues = new Map<string, Clue>();
  for (const clue of [
    ...dates.flatMap((date) => dateClues(date, 1)),
    ...relative.flatMap((date) => dateClues(date, RELATIVE_WEIGHT)),
    ...(significant.length === 0 ? pieces : significant).flatMap(pieceClues),
  ]) {
    if (clues.size < MAX_CLUES && !clues.has(clue.key)) clues.set(clue.key, clue);
  }
  return { clues: [...clues.values()], dates: [...dates, ...relative], phrases: findPhrases(text, pieces) };
}

function pieceClues({ kind, text }: Piece): Clue[] {
  if (kind === "run") return runClues(text);
  const terms = kind === "word" ? wordTerms(text) : [text];
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

function dateClues(date: NamedDate, weight: number): Clue[] {
  const term = dateTerms(date).at(-1);
  return term === undefined ? [] : [{ key: `@${term}`, terms: [term], where: "path", spelled: term, weight }];
}

/** The whole query if it is more than a word, and the texts in quotation marks. */
function findPhrases(text: string, pieces: readonly Piece[]): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, phrase = ""]) => normalizePhrase(phrase));
  const isMore = pieces.length > 1 || (pieces[0]?.kind === "run" && pieces[0].text.length > 2);
  return [...new Set(isMore ? [normalizePhrase(text), ...quoted] : quoted)].filter((phrase) => phrase !== "");
}

/** Removes differences of case, width and spaces, and punctuation at the ends. */
export function normalizePhrase(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
  return plain.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, "");
}
