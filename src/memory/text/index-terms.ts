import { datesIn, dateTerms } from "./dates.ts";
import { termsIn } from "./terms.ts";

/** What stands in `chunk_terms.terms` for a text: the terms of one agent, parted by spaces. */
export function termsOf(memoryId: number, text: string): string {
  return indexed(memoryId, termsIn(text));
}

/** What stands in `chunk_terms.place` for a path: its words, and the dates that it names. */
export function placeTermsOf(memoryId: number, path: string): string {
  return indexed(memoryId, new Set([...termsIn(path.replaceAll("/", " ")), ...datesIn(path).flatMap(dateTerms)]));
}

function indexed(memoryId: number, terms: Iterable<string>): string {
  return Array.from(terms, (term) => indexTerm(memoryId, term)).join(" ");
}

/** A term of an agent as the index has it. FTS5's tokenizer leaves it as it is. */
export function indexTerm(memoryId: number, term: string): string {
  return `${memoryId}a${indexedForm(term)}`;
}

/** What follows the agent in a term of the index. */
export function indexedForm(term: string): string {
  return term.replace(OTHER, (character) => `${MARK}${character.codePointAt(0)?.toString(16)}${MARK}`);
}

/** All but what every version of SQLite takes for a letter or digit, and for a small one. */
const OTHER = /[^a-z0-9α-ρσ-ωа-џ\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fa5\uac00-\ud7a3]/gu;
/** Of private use: no word has it, and FTS5 counts it as a letter. */
const MARK = "\ue000";
