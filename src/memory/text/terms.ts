import { stemmer } from "stemmer";
import { regularForm } from "./irregular.ts";
import { piecesOf } from "./pieces.ts";

/** Longest term, in UTF-16 units: what is longer is data, and its beginning finds it. */
const MAX_TERM_CHARS = 64;

/**
 * The terms of a text, in its order: stems of words, characters of runs, emoji. A compound gives itself, without what
 * joins it, and its parts.
 */
export function* termsIn(text: string): Generator<string> {
  for (const piece of piecesOf(text)) {
    if (piece.kind === "word") yield* termsOfWord(piece.text);
    else if (piece.kind === "run") yield* piece.text;
    else yield piece.text;
  }
}

/** The terms of one word: its stem, or itself and its parts where it is a compound. */
export function termsOfWord(word: string): readonly string[] {
  // It is data, does not come again, and would be kept as long as it is.
  if (word.length > MAX_TERM_CHARS) return analyze(word);
  const known = knownWords.get(word);
  if (known !== undefined) return known;
  const terms = analyze(word);
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear();
  knownWords.set(word, terms);
  return terms;
}

/** Texts repeat their words, and a stem costs more than a look. */
const knownWords = new Map<string, readonly string[]>();
const MAX_KNOWN_WORDS = 20_000;

const PLAIN = /^[A-Z]?[a-z]+$/;
/** What English hangs on to a word with an apostrophe. */
const CLITIC = /['’](?:s|re|ve|ll|d|m)$/iu;
const CONTRACTED_NOT = /n['’]t$/iu;
const JOINT = /['’_\-‐]/gu;
const JOINTS = /['’_\-‐.]/u;
/** Where a small letter meets a capital, and where a capital begins a word after others: `parseHTML`, `HTMLParser`. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const LETTERS_AND_NUMBER = /^(\p{L}{2,})(\p{N}+)$|^(\p{N}+)(\p{L}{2,})$/u;
const ORDINAL = /^\d+(?:st|nd|rd|th)$/;
const DOT_IN_NUMBER = /(?<!\p{N})\.|\.(?!\p{N})/gu;

function analyze(written: string): readonly string[] {
  if (PLAIN.test(written)) return [termOf(written)];
  const word = written.replace(CLITIC, "");
  if (CONTRACTED_NOT.test(word)) return [termOf(word.replace(JOINT, ""))];
  const parts = word.split(JOINTS).flatMap((part) => part.split(HUMP).flatMap(lettersAndNumber));
  const whole = termOf(word.replace(JOINT, "").replace(DOT_IN_NUMBER, ""));
  return [...new Set([whole, ...parts.map(termOf)])].filter((term) => term !== "");
}

function lettersAndNumber(part: string): string[] {
  if (ORDINAL.test(part)) return [part];
  const [, ...sides] = LETTERS_AND_NUMBER.exec(part) ?? [];
  return sides.length === 0 ? [part] : sides.filter((side) => side !== undefined);
}

function termOf(word: string): string {
  const folded = foldAccents(word.toLowerCase()).slice(0, MAX_TERM_CHARS);
  if (/^[a-z]+$/.test(folded)) return stemmer(regularForm(folded));
  // The 8th is the 8 and the 08.
  return folded.replace(/^(\d+)(?:st|nd|rd|th)$/, "$1").replace(/^0(?=\d$)/, "");
}

const ACCENTED = /([\p{sc=Latin}\p{sc=Greek}])\p{Mn}+/gu;
/** Letters of Latin that Unicode does not take apart. */
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
