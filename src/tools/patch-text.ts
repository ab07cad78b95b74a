import type { Hunk } from "./patch.ts";

/** A line of a file with its line break; the last may have none. */
interface FileLine {
  text: string;
  end: string;
}

/** How a file's line is compared with a patch's line, strictest first: models often get white space wrong. */
const SAME: readonly ((a: string, b: string) => boolean)[] = [
  (a, b) => a === b,
  (a, b) => a.trimEnd() === b.trimEnd(),
  (a, b) => a.trim() === b.trim(),
];

/**
 * Applies a patch to a text. Passages are searched from top to bottom, each after the one before. Unchanged lines stay
 * byte for byte; new ones get the line break of the file's first line.
 * @throws Error that says which passage is missing
 */
export function patchText(text: string, hunks: readonly Hunk[]): string {
  const lines = splitLines(text);
  const eol = lines[0]?.end || "\n";
  const result: FileLine[] = [];
  let done = 0;
  for (const [i, hunk] of hunks.entries()) {
    const at = findPassage(hunk, lines, done, i + 1);
    result.push(...lines.slice(done, at));
    done = at;
    for (const { op, text: typed } of hunk.lines) {
      if (op === "add") result.push({ text: typed, end: eol });
      else {
        const line = lines[done++];
        if (op === "keep" && line !== undefined) result.push(line);
      }
    }
  }
  result.push(...lines.slice(done));
  return joinLines(result, eol, lines.length === 0 || lines.at(-1)?.end !== "");
}

/** The index of the first line of a passage. */
function findPassage(
  { heading, lines: hunkLines, atEnd }: Hunk,
  lines: readonly FileLine[],
  from: number,
  number: number,
): number {
  const start = heading === undefined ? from : behind(heading, lines, from, number);
  const before = hunkLines.filter(({ op }) => op !== "add").map(({ text }) => text);
  // New lines alone go after their heading, or to the end.
  if (before.length === 0) return heading === undefined ? lines.length : start;
  const last = lines.length - before.length;
  for (const same of SAME) {
    const fits = (at: number) => before.every((text, i) => same(lines[at + i]?.text ?? "", text));
    if (atEnd && last >= start && fits(last)) return last;
    for (let at = start; at <= last && !atEnd; at++) if (fits(at)) return at;
  }
  const what = atEnd ? "is not the end of the file" : "is not in the file after the previous passages";
  throw new Error(
    `Passage ${number}, \`${before.find((text) => text.trim() !== "") ?? ""}\` …, ${what}. Read the file again.`,
  );
}

function behind(heading: string, lines: readonly FileLine[], from: number, number: number): number {
  for (const same of SAME) {
    const at = lines.findIndex(({ text }, i) => i >= from && same(text, heading));
    if (at !== -1) return at + 1;
  }
  throw new Error(`Passage ${number}: there is no line \`${heading}\`, which its @@ names. Read the file again.`);
}

function splitLines(text: string): FileLine[] {
  const parts = text.split(/(\r?\n)/);
  const lines: FileLine[] = [];
  for (let i = 0; i < parts.length; i += 2) lines.push({ text: parts[i] ?? "", end: parts[i + 1] ?? "" });
  if (lines.at(-1)?.text === "") lines.pop();
  return lines;
}

/** Joins lines; the last one has a line break if the file's last line had one. */
function joinLines(lines: readonly FileLine[], eol: string, endsWithEol: boolean): string {
  return lines
    .map(({ text, end }, i) => {
      if (i === lines.length - 1) return text + (endsWithEol ? end || eol : "");
      return text + (end || eol);
    })
    .join("");
}
