import { byteLength } from "../lib/text.ts";

/** Most lines that are shown at once. */
export const MAX_LINES = 2_000;

/** Most bytes of UTF-8 that are shown at once. */
export const MAX_BYTES = 50 * 1024;

/**
 * Lines of a text from `offset` (counted from 1), as many as are asked for and fit, and below them how to read on.
 * @throws Error where the text ends before `offset`
 */
export function excerptLines(text: string, offset: number, limit: number): string {
  if (text === "") return "(The file is empty.)";
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (offset > lines.length) {
    throw new Error(`The file has ${lines.length} lines, so there is nothing at offset ${offset}.`);
  }
  const wanted = lines.slice(offset - 1, offset - 1 + Math.min(limit, MAX_LINES));
  const count = linesThatFit(wanted);
  if (count === 0) return cutLine(wanted[0] ?? "", offset, lines.length);
  const last = offset + count - 1;
  const shown = wanted.slice(0, count).join("\n");
  if (last === lines.length) return shown;
  return `${shown}\n\n[Lines ${offset} to ${last} of ${lines.length}. Read on with offset=${last + 1}.]`;
}

function linesThatFit(lines: readonly string[]): number {
  let bytes = 0;
  for (const [i, line] of lines.entries()) {
    bytes += byteLength(line) + 1;
    if (bytes > MAX_BYTES + 1) return i;
  }
  return lines.length;
}

/** A line that is too long by itself: as much of its start as fits, in whole characters. */
function cutLine(line: string, number: number, lines: number): string {
  const bytes = new TextEncoder().encode(line);
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true });
  const next = number < lines ? ` Read on with offset=${number + 1}.` : "";
  return `${start}\n\n[The first ${MAX_BYTES} of the ${bytes.length} bytes of line ${number}.${next}]`;
}
