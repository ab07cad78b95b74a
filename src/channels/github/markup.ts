import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, plainText, type StyledRun } from "../styled-text.ts";

/** GitHub takes 65,536 characters. */
export const MAX_PART_UNITS = 65_536;

/** Formats a reply as comments of plain words, in Markdown that has no meaning. */
export function formatText(markdown: string): string[] {
  const write = (runs: readonly StyledRun[]) => escapeMarkdown(plainText(runs));
  const limit = { units: MAX_PART_UNITS, fits: (runs: readonly StyledRun[]) => write(runs).length <= MAX_PART_UNITS };
  return splitRuns(
    readMarkdown(markdown.toWellFormed(), () => false),
    limit,
  )
    .filter(isVisible)
    .map(write);
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~[\]#|<&]/g, "\\$&").replace(/^( {0,3})([>+-])/gm, "$1\\$2");
}

/** A part without our markup. */
export function toPlainText(part: string): string {
  return part.replace(/\\([\\`*_~[\]#|<&>+-])/g, "$1");
}
