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
  /** The platform's own limit in the same unit, if `limit` is what reads well: a long reply has longer messages. */
  longest?: number;
  /** Whether runs are within the platform's other limits. */
  fits?(runs: readonly StyledRun[]): boolean;
  /** A part without its markup. */
  plain(part: string): string;
}

/** A reply of more messages than this has longer ones, where the platform allows it. */
const MANY_PARTS = 10;

/** Formats a reply as messages, in order, each within the platform's limits. A blank reply gives none. */
export function formatMessages(markdown: string, { shows, syntax, limit, longest, fits }: Markup): string[] {
  const write = (runs: readonly StyledRun[]) => writeRuns(runs, syntax);
  // Every part of a link has the whole address.
  const canLink = (href: string) =>
    shows.canLink(href) && limit.size(write([{ text: "…", marks: [{ kind: "link", href }] }])) <= limit.most / 2;
  const runs = readMarkdown(printable(markdown), { ...shows, canLink });
  const split = (most: number, units: number) => {
    const size = (part: readonly StyledRun[]) =>
      fits?.(part) === false ? Number.POSITIVE_INFINITY : limit.size(write(part));
    return splitRuns(runs, { units, most, size }).filter(isVisible).map(write);
  };
  const parts = split(limit.most, limit.units);
  if (longest === undefined || parts.length <= MANY_PARTS) return parts;
  // Parts are not quite full, hence a little more than a tenth for each.
  const share = Math.ceil(limit.size(parts.join("")) / (MANY_PARTS - 2));
  const most = Math.min(longest, Math.max(limit.most, share));
  return split(most, most);
}

/** Without halves of surrogate pairs and control characters, which platforms refuse. */
function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "");
}
