/** A border of a word where none is seen. */
export const ZERO_WIDTH_SPACE = "\u200b";

/** Joins what is beside it to one word. */
export const WORD_JOINER = "\u2060";

/** Removes both, as they are in no text that a person wrote. */
export function withoutInvisible(text: string): string {
  return text.replace(/[\u200b\u2060]/g, "");
}
