import { latinLookAlike } from "./external-content-letters.ts";
import { type InjectionPattern, OPENCLAW_PATTERNS } from "./external-content-patterns.ts";
import { ENGLISH_PATTERNS } from "./external-content-patterns-english.ts";
import { LANGUAGE_PATTERNS } from "./external-content-patterns-languages.ts";

/** What `detectInjection` looks for: OpenClaw's patterns first, then ours. */
export const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  ...OPENCLAW_PATTERNS,
  ...ENGLISH_PATTERNS,
  ...LANGUAGE_PATTERNS,
];

/** Text in tag characters, which no font draws and some models read. Flags of regions take fewer of them. */
const HIDDEN_TEXT = /[\u{e0020}-\u{e007e}]{8}/u;
const TAG_CHARACTER = /[\u{e0020}-\u{e007e}]/gu;

const INVISIBLE = /[^\P{Cc}\s]|[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Accents and strokes that are set over whole words, "i̶g̶n̶o̶r̶e̶", after composition has taken those that belong. */
const LOOSE_MARKS = /[\u0300-\u036f]/g;
const WHITE_SPACE = /\s+/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const NOT_ASCII = /[^\p{ASCII}]/u;

/**
 * The names of the patterns that a text from outside shows, in the order of the list; none for most texts. A sign for
 * logs and policy, never a proof: what it misses is still fenced off.
 */
export function detectInjection(text: string): string[] {
  const folded = foldForDetection(text);
  const found = INJECTION_PATTERNS.filter(({ pattern }) => pattern.test(folded)).map(({ name }) => name);
  return HIDDEN_TEXT.test(text) ? [...found, "hidden-text"] : found;
}

/**
 * Brings a text to one spelling: lower case, without styles and invisible characters (but with what tag characters say),
 * Latin where a word mixes Latin with letters that look like it, and one line feed or space for each white space.
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
