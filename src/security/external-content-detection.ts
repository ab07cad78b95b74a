import { findFeatures } from "./external-content-features.ts";
import { latinLookAlike } from "./external-content-letters.ts";
import { type InjectionPattern, OPENCLAW_PATTERNS } from "./external-content-patterns.ts";
import { ENGLISH_PATTERNS } from "./external-content-patterns-english.ts";
import { LANGUAGE_PATTERNS } from "./external-content-patterns-languages.ts";
import { STRUCTURE_PATTERNS } from "./external-content-patterns-structure.ts";

/** The patterns of `detectInjection`: OpenClaw's first, then ours. */
export const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  ...OPENCLAW_PATTERNS,
  ...ENGLISH_PATTERNS,
  ...LANGUAGE_PATTERNS,
  ...STRUCTURE_PATTERNS,
];

/** Text in tag characters, which no font draws and some models read. Flags of regions use fewer of them. */
const HIDDEN_TEXT = /[\u{e0020}-\u{e007e}]{8}/u;
const TAG_CHARACTER = /[\u{e0020}-\u{e007e}]/gu;

const INVISIBLE = /[^\P{Cc}\s]|[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const CONTROL = /[^\P{Cc}\s]/gu;
/** Combining marks over whole words, "i̶g̶n̶o̶r̶e̶"; composition (NFKC) has absorbed ordinary accents before. */
const LOOSE_MARKS = /[\u0300-\u036f]/g;
const LONG_SPACE = /\s{2,}|[^\S \n]/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const NOT_ASCII = /[^\p{ASCII}]/u;
/** Where letters that look like Latin ones are: from the Latin extensions to Cherokee, small capitals, Lisu, squares. */
const LOOK_ALIKE =
  /[\u0110-\u02af\u0370-\u058f\u0d00-\u0d7f\u13a0-\u13ff\u1d00-\u1d7f\u2100-\u214f\u2c60-\u2cff\ua4d0-\ua7ff]|\ud83c[\udd50-\uddff]/;
const OTHER_SCRIPT = /[\u0370-\u{10ffff}]/u;

/** The patterns with a word in Latin letters: texts in no other script need only these. */
const IN_LATIN = INJECTION_PATTERNS.filter(
  ({ pattern: { source } }) => !OTHER_SCRIPT.test(source) || /[a-z]{4}/.test(source),
);

/**
 * The names of the patterns and features that an external text matches, in list order; none for most texts. A signal
 * for logs and policy, not a proof: undetected text is fenced as well.
 */
export function detectInjection(text: string): string[] {
  const folded = foldForDetection(text);
  const patterns = OTHER_SCRIPT.test(folded) ? INJECTION_PATTERNS : IN_LATIN;
  const found = patterns.filter(({ pattern }) => pattern.test(folded)).map(({ name }) => name);
  return [...found, ...findFeatures(folded), ...(HIDDEN_TEXT.test(text) ? ["hidden-text"] : [])];
}

/**
 * Normalizes a text for matching: lower case, without styles and invisible characters (tag characters are decoded),
 * Latin letters in words that mix Latin with look-alikes, and one line feed or space per white space.
 */
function foldForDetection(text: string): string {
  return unified(text).replace(LONG_SPACE, oneSpace).toLowerCase();
}

function unified(text: string): string {
  if (!NOT_ASCII.test(text)) return text.replace(CONTROL, "");
  const composed = text
    .replace(TAG_CHARACTER, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
    .replace(INVISIBLE, "")
    .normalize("NFKC")
    .replace(LOOSE_MARKS, "")
    .replaceAll("’", "'");
  return LOOK_ALIKE.test(composed) ? composed.replace(WORD, inOneScript) : composed;
}

function oneSpace(space: string): string {
  return space.includes("\n") ? "\n" : " ";
}

function inOneScript(word: string): string {
  if (!NOT_ASCII.test(word) || !LATIN.test(word)) return word;
  return Array.from(word, latinLookAlike).join("");
}
