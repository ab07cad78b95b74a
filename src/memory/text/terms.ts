import { stemmer } from "stemmer";
import { dateTerms, findDates } from "./dates.ts";
import { baseForm } from "./english.ts";
import { splitPieces } from "./pieces.ts";

/** Maximum length of a term in UTF-16 units. Longer words are data and are found by their beginning. */
const MAX_TERM_CHARS = 64;

/**
 * The terms of a text, in order: stems of words, characters of runs, emoji. A compound gives itself without its joints,
 * and its parts.
 */
export function* textTerms(text: string): Generator<string> {
  for (const piece of splitPieces(text)) {
    if (piece.kind === "word") yield* wordTerms(piece.text);
    else if (piece.kind === "run") yield* piece.text;
    else yield piece.text;
  }
}

/** The terms of a word: its stem; of a compound the whole and its parts. */
export function wordTerms(word: string): readonly string[] {
  // Data is rarely repeated, and caching it would keep it in memory.
  if (word.length > MAX_TERM_CHARS) return analyze(word);
  const known = knownWords.get(word);
  if (known !== undefined) return known;
  const terms = analyze(word);
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear();
  knownWords.set(word, terms);
  return terms;
}

/** Texts repeat their words, and a lookup is faster than a stemmer. */
const knownWords = new Map<string, readonly string[]>();
const MAX_KNOWN_WORDS = 20_000;

const PLAIN = /^[A-Z]?[a-z]+$/;
/** English suffixes after an apostrophe. */
const CLITIC = /['’](?:s|re|ve|ll|d|m)$/iu;
const CONTRACTED_NOT = /n['’]t$/iu;
const JOINT = /['’_\-‐]/gu;
const JOINTS = /['’_\-‐.]/u;
/** Boundaries of words in camel case: `parseHTML`, `HTMLParser`. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const LETTERS_AND_NUMBER = /^(\p{L}{2,})(\p{N}+)$|^(\p{N}+)(\p{L}{2,})$/u;
const ORDINAL = /^\d+(?:st|nd|rd|th)$/;
const DOT_IN_NUMBER = /(?<!\p{N})\.|\.(?!\p{N})/gu;

function analyze(written: string): readonly string[] {
  if (PLAIN.test(written)) return [wordTerm(written)];
  const word = written.replace(CLITIC, "");
  if (CONTRACTED_NOT.test(word)) return [wordTerm(word.replace(JOINT, ""))];
  const parts = word.split(JOINTS).flatMap((part) => part.split(HUMP).flatMap(splitNumber));
  const whole = wordTerm(word.replace(JOINT, "").replace(DOT_IN_NUMBER, ""));
  return [...new Set([whole, ...parts.map(wordTerm)])].filter((term) => term !== "");
}

function splitNumber(part: string): string[] {
  if (ORDINAL.test(part)) return [part];
  const [, ...sides] = LETTERS_AND_NUMBER.exec(part) ?? [];
  return sides.length === 0 ? [part] : sides.filter((side) => side !== undefined);
}

function wordTerm(word: string): string {
  const folded = foldAccents(word.toLowerCase()).slice(0, MAX_TERM_CHARS);
  if (/^[a-z]+$/.test(folded)) return stemmer(baseForm(folded));
  // "8th" and "08" are the term "8".
  return folded.replace(/^(\d+)(?:st|nd|rd|th)$/, "$1").replace(/^0(?=\d$)/, "");
}

const ACCENTED = /([\p{sc=Latin}\p{sc=Greek}])\p{Mn}+/gu;
/** Latin letters that Unicode does not decompose. */
const LATIN: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

function foldAccents(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word;
  return word
    .normalize("NFD")
    .replace(ACCENTED, "$1")
    .normalize("NFC")
    .replace(/[ßæœøłđðþı]/g, (letter) => LATIN[letter] ?? letter)
    .replaceAll("ς", "σ");
}

/** The column `chunk_terms.terms` for a text: the terms of one agent, separated by spaces. */
export function indexedTerms(memoryId: number, text: string): string {
  return joinTerms(memoryId, textTerms(text));
}

/** The column `chunk_terms.place` for a path: its words and dates. */
export function indexedPathTerms(memoryId: number, path: string): string {
  return joinTerms(memoryId, new Set([...textTerms(path.replaceAll("/", " ")), ...findDates(path).flatMap(dateTerms)]));
}

function joinTerms(memoryId: number, terms: Iterable<string>): string {
  return Array.from(terms, (term) => indexTerm(memoryId, term)).join(" ");
}

/** An agent's term in the index, in a form that FTS5's tokenizer does not change. */
export function indexTerm(memoryId: number, term: string): string {
  return `${memoryId}a${indexedForm(term)}`;
}

/** The part of an indexed term after the agent's prefix. */
export function indexedForm(term: string): string {
  return term.replace(OTHER, (character) => `${MARK}${character.codePointAt(0)?.toString(16)}${MARK}`);
}

/** Characters that some version of SQLite does not treat as a lower-case letter or a digit. */
const OTHER = /[^a-z0-9α-ρσ-ωа-џ\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fa5\uac00-\ud7a3]/gu;
/** A private use character: no word has it, and FTS5 treats it as a letter. */
const MARK = "\ue000";
