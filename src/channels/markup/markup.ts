import { readMarkdown, type ShownMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, type StyledRun } from "../styled-text.ts";
import type { MessageLimit } from "./limit.ts";
import type { Syntax } from "./syntax.ts";
import { writeRuns } from "./write.ts";

/** The markup of a platform: what it shows of Markdown, how that is written, and how much is one message. */
export interface Markup {
  shows: ShownMarkdown;
  syntax: Syntax;
  limit: MessageLimit;
  /** Whether runs are within the platform's other limits. */
  fits?(runs: readonly StyledRun[]): boolean;
  /** A part without its markup. */
  plain(part: string): string;
}

/** Formats a reply as messages, in order, each within the platform's limits. A blank reply gives none. */
export function formatMessages(markdown: string, { shows, syntax, limit, fits }: Markup): string[] {
  const write = (runs: readonly StyledRun[]) => writeRuns(runs, syntax);
  // Every part of a link has the whole address.
  const canLink = (href: string) =>
    shows.canLink(href) && limit.size(write([{ text: "…", marks: [{ kind: "link", href }] }])) <= limit.most / 2;
  const parts = splitRuns(readMarkdown(printable(markdown), { ...shows, canLink }), {
    units: limit.units,
    most: limit.most,
    size: (runs) => (fits?.(runs) === false ? Number.POSITIVE_INFINITY : limit.size(write(runs))),
  });
  return parts.filter(isVisible).map(write);
}

/** Without halves of surrogate pairs and control characters, which platforms refuse. */
function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "");
}
