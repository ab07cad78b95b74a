import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, plainText } from "../styled-text.ts";

/** Most UTF-16 units of one message; the network cuts it into segments and joins them again. */
export const MAX_TEXT_UNITS = 1600;

/** Formats a reply as plain texts, each within Twilio's limit; addresses are written out. A blank reply gives none. */
export function formatText(markdown: string): string[] {
  const runs = readMarkdown(markdown.toWellFormed(), () => false);
  return splitRuns(runs, { units: MAX_TEXT_UNITS, fits: () => true })
    .filter(isVisible)
    .map(plainText);
}
