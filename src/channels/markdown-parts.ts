import { splitRuns } from "./split.ts";
import { isVisible } from "./styled-text.ts";

/** The Markdown of a reply as it is, in parts of at most `most` UTF-16 units. A blank reply gives none. */
export function markdownParts(markdown: string, most: number): string[] {
  const limit = { units: most, most: 0, size: () => 0 };
  return splitRuns([{ text: markdown.toWellFormed(), marks: [] }], limit)
    .filter(isVisible)
    .map(([run]) => run?.text ?? "");
}
