import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, plainText } from "../styled-text.ts";

/** Most UTF-16 units of one text. */
export const MAX_TEXT_UNITS = 5000;

/** Formats a reply as plain texts, each within LINE's limit; addresses are written out. A blank reply gives none. */
export function formatText(markdown: string): string[] {
  const runs = readMarkdown(markdown.toWellFormed(), () => false);
  return splitRuns(runs, { units: MAX_TEXT_UNITS, fits: () => true })
    .filter(isVisible)
    .map(plainText);
}
