import { wholeHead } from "../lib/text.ts";
import type { MemoryPassage } from "./agent-memory.ts";

/** Which lines of a text are wanted, and how much may be given. */
export interface Wanted {
  /** From 1. */
  from: number;
  lines: number;
  maxChars: number;
}

/**
 * Lines of a text: as many of those that are wanted as fit, whole; of a first one that does not fit by itself the
 * beginning. Behind the end there is nothing.
 */
export function passageOf(text: string, { from, lines, maxChars }: Wanted): Omit<MemoryPassage, "path" | "source"> {
  const all = linesOf(text);
  const totalLines = all.length;
  const wanted = all.slice(from - 1, from - 1 + lines);
  const [first] = wanted;
  if (first === undefined) return { text: "", startLine: 0, endLine: 0, totalLines };
  const shown = fitting(wanted, maxChars);
  const endLine = from - 1 + Math.max(1, shown.length);
  const next = endLine < totalLines ? { next: endLine + 1 } : {};
  if (shown.length > 0) return { text: shown.join("\n"), startLine: from, endLine, totalLines, ...next };
  return { text: wholeHead(first, maxChars), startLine: from, endLine, totalLines, isCut: true, ...next };
}

/** A line feed at the end of a text ends its last line, and begins none. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function fitting(lines: readonly string[], maxChars: number): string[] {
  let left = maxChars + 1;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return end === -1 ? [...lines] : lines.slice(0, end);
}
