import { byteLength } from "../../lib/text.ts";
import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, plainText, type StyledRun } from "../styled-text.ts";

/** A message has at most 32,000 bytes, its other fields included. */
export const MAX_PART_BYTES = 31_000;

const WORD_JOINER = "\u2060";

/** Formats a reply as messages of plain words: what looks like a sign is joined to the word beside it. */
export function formatText(markdown: string): string[] {
  const write = (runs: readonly StyledRun[]) => {
    return plainText(runs).replace(/[*_~`]+|<(?=users\/)/g, `${WORD_JOINER}$&${WORD_JOINER}`);
  };
  const limit = {
    units: MAX_PART_BYTES,
    fits: (runs: readonly StyledRun[]) => byteLength(write(runs)) <= MAX_PART_BYTES,
  };
  return splitRuns(
    readMarkdown(markdown.toWellFormed(), () => false),
    limit,
  )
    .filter(isVisible)
    .map(write);
}

/** A part without what we have put in. */
export function toPlainText(part: string): string {
  return part.replaceAll(WORD_JOINER, "");
}
