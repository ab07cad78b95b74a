import type { Hunk } from "./patch.ts";

/** A line of a file with what ends it; the last may have no end. */
interface Line {
  text: string;
  end: string;
}

/** How alike a line of the file must be to one of the patch, the strictest first: models get spaces wrong. */
const SAME: readonly ((a: string, b: string) => boolean)[] = [
  (a, b) => a === b,
  (a, b) => a.trimEnd() === b.trimEnd(),
  (a, b) => a.trim() === b.trim(),
];

/**
 * A text as it is after a patch. Passages are looked for from above to below, each behind the one before. Lines that stay
 * are left byte for byte; new ones end as the file's first line does.
 * @throws Error that says which passage is not there
 */
export function patchText(text: string, hunks: readonly Hunk[]): string {
  const lines = linesOf(text);
  const eol = lines[0]?.end || "\n";
  const result: Line[] = [];
  let done = 0;
  for (const [i, hunk] of hunks.entries()) {
    const at = placeOf(hunk, lines, done, i + 1);
    result.push(...lines.slice(done, at));
    done = at;
    for (const { op, text: typed } of hunk.lines) {
      if (op === "comes") result.push({ text: typed, end: eol });
      else {
        const line = lines[done++];
        if (op === "stays" && line !== undefined) result.push(line);
      }
    }
  }
  result.push(...lines.slice(done));
  return joined(result, eol, lines.length === 0 || lines.at(-1)?.end !== "");
}

/** Where in the file a passage begins. */
function placeOf(
  { heading, lines: hunkLines, atEnd }: Hunk,
  lines: readonly Line[],
  from: number,
  number: number,
): number {
  const start = heading === undefined ? from : behind(heading, lines, from, number);
  const before = hunkLines.filter(({ op }) => op !== "comes").map(({ text }) => text);
  // New lines alone come behind their heading, or at the end.
  if (before.length === 0) return heading === undefined ? lines.length : start;
  const last = lines.length - before.length;
  for (const same of SAME) {
    const fits = (at: number) => before.every((text, i) => same(lines[at + i]?.text ?? "", text));
    if (atEnd && last >= start && fits(last)) return last;
    for (let at = start; at <= last && !atEnd; at++) if (fits(at)) return at;
  }
  const what = atEnd ? "is not the end of the file" : "is not in the file behind the passages before it";
  throw new Error(
    `Passage ${number}, \`${before.find((text) => text.trim() !== "") ?? ""}\` …, ${what}. Read the file again.`,
  );
}

function behind(heading: string, lines: readonly Line[], from: number, number: number): number {
  for (const same of SAME) {
    const at = lines.findIndex(({ text }, i) => i >= from && same(text, heading));
    if (at !== -1) return at + 1;
  }
  throw new Error(`Passage ${number}: there is no line \`${heading}\`, which its @@ names. Read the file again.`);
}

function linesOf(text: string): Line[] {
  const parts = text.split(/(\r?\n)/);
  const lines: Line[] = [];
  for (let i = 0; i < parts.length; i += 2) lines.push({ text: parts[i] ?? "", end: parts[i + 1] ?? "" });
  if (lines.at(-1)?.text === "") lines.pop();
  return lines;
}

/** Every line ends but the last, which does where the file's last did. */
function joined(lines: readonly Line[], eol: string, endsWithEol: boolean): string {
  return lines
    .map(({ text, end }, i) => {
      if (i === lines.length - 1) return text + (endsWithEol ? end || eol : "");
      return text + (end || eol);
    })
    .join("");
}
