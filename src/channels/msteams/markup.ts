import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, plainText, type StyledRun } from "../styled-text.ts";

/** Teams recommends at most 80 KB of UTF-16 for a message. */
export const MAX_PART_UNITS = 40_000;

/** Formats a reply as messages of plain words, in Markdown that has no meaning. */
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
  return text
    .replace(/[\\`*_~[\]#|]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/^( {0,3})([>+-])/gm, "$1\\$2")
    .replace(/\n(?!\n)/g, "  \n");
}

/** A part without our markup. */
export function toPlainText(part: string): string {
  return part
    .replaceAll("  \n", "\n")
    .replace(/\\([\\`*_~[\]#|>+-])/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}
