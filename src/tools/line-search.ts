import { RE2JS } from "re2js";
import { head } from "../lib/text.ts";

const MAX_PATTERN_CHARS = 1000;
/** Most characters that are shown of a line. */
export const MAX_LINE_CHARS = 400;
/** The most instructions of a pattern: each character of a line may take that many steps. */
const MAX_PROGRAM = 300;

/** Whether a line matches. */
export type LineTest = (line: string) => boolean;

/**
 * Creates the test of a line, from a regular expression in RE2's syntax or a text. RE2's time grows with the length of
 * the line and of the expanded pattern, so bounds on both keep any pattern from blocking the run.
 * @throws Error that says what is wrong with the pattern
 */
export function lineTest(
  pattern: string,
  { literal, ignoreCase }: { literal: boolean; ignoreCase: boolean },
): LineTest {
  if (pattern === "" || pattern.length > MAX_PATTERN_CHARS) {
    throw new Error(`A pattern has 1 to ${MAX_PATTERN_CHARS} characters.`);
  }
  // A pattern without special characters is a text; searching for it is much faster.
  if (literal || !/[\\^$.|?*+()[\]{}]/.test(pattern)) {
    const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  const regex = compile(pattern, ignoreCase);
  if (regex.programSize() > MAX_PROGRAM) {
    throw new Error("The pattern repeats too much. Look for a part of it, or use * and + in place of {n,m}.");
  }
  return (line) => regex.test(line);
}

function compile(pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`The pattern is no regular expression (${why}). Set literal to look for it as it is.`, {
      cause: thrown,
    });
  }
}

/** The matching lines of a text with their neighbours, as `12: line` and `13- neighbour`; at most `max` matches. */
export function searchLines(
  text: string,
  test: LineTest,
  context: number,
  max: number,
): { shown: string[]; found: number } {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const hits = new Set<number>();
  for (const [i, line] of lines.entries()) {
    if (hits.size === max) break;
    if (test(line)) hits.add(i);
  }
  const shown: string[] = [];
  let last = -1;
  for (const hit of hits) {
    const from = Math.max(last + 1, hit - context);
    if (context > 0 && last >= 0 && from > last + 1) shown.push("--");
    for (let i = from; i <= Math.min(lines.length - 1, hit + context); i++) {
      shown.push(`${i + 1}${hits.has(i) ? ":" : "-"} ${cut(lines[i] ?? "")}`);
      last = i;
    }
  }
  return { shown, found: hits.size };
}

function cut(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${head(line, MAX_LINE_CHARS)}…` : line;
}
