import { splitRuns } from "../split.ts";

/** Most UTF-16 units of a reply in one request. */
const MAX_PART_UNITS = 30_000;

/** The Markdown of a reply, as it is, in parts. A blank reply gives none. */
export function formatParts(markdown: string): string[] {
  const limit = { units: MAX_PART_UNITS, fits: () => true };
  return splitRuns([{ text: markdown.toWellFormed(), marks: [] }], limit)
    .map(([run]) => run?.text ?? "")
    .filter((text) => text.trim() !== "");
}
