import { latinLookAlike } from "./external-content-letters.ts";
import { type InjectionPattern, OPENCLAW_PATTERNS } from "./external-content-patterns.ts";
import { ENGLISH_PATTERNS } from "./external-content-patterns-english.ts";
import { LANGUAGE_PATTERNS } from "./external-content-patterns-languages.ts";

/** The patterns of `detectInjection`: OpenClaw's first, then ours. */
export const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  ...OPENCLAW_PATTERNS,
  ...ENGLISH_PATTERNS,
  ...LANGUAGE_PATTERNS,
];

/** Text in tag characters, which no font draws and some models read. Flags of regions use fewer of them. */
const HIDDEN_TEXT = /[\u{e0020}-\u{e007e}]{8}/u;
const TAG_CHARACTER = /[\u{e0020}-\u{e007e}]/gu;

const INVISIBLE = /[^\P{Cc}\s]|[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Combining marks over whole words, "i̶g̶n̶o̶r̶e̶"; composition (NFKC) has absorbed ordinary accents before. */
const LOOSE_MARKS = /[\u0300-\u036f]/g;
const WHITE_SPACE = /\s+/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const NOT_ASCII = /[^\p{ASCII}]/u;

/**
 * The names of the patterns that an external text matches, in list order; none for most texts. A signal for logs and
 * policy, not a proof: undetected text is fenced as well.
 */
export function detectInjection(text: string): string[] {
  const folded = foldForDetection(text);
  const found = INJECTION_PATTERNS.filter(({ pattern }) => pattern.test(folded)).map(({ name }) => name);
  return HIDDEN_TEXT.test(text) ? [...found, "hidden-text"] : found;
}

/**
 * Normalizes a text for matching: lower case, without styles and invisible characters (tag characters are decoded),
 * Latin letters in words that mix Latin with look-alikes, and one line feed or space per white space.
 */
function foldForDetection(text: string): string {
  return text
    .replace(TAG_CHARACTER, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
    .replace(INVISIBLE, "")
    .normalize("NFKC")
    .replace(LOOSE_MARKS, "")
    .replace(WORD, inOneScript)
    .replace(WHITE_SPACE, (space) => (space.includes("\n") ? "\n" : " "))
    .toLowerCase();
}

function inOneScript(word: string): string {
  if (!NOT_ASCII.test(word) || !LATIN.test(word)) return word;
  return Array.from(word, latinLookAlike).join("");
}
