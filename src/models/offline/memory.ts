import type { JsonObject } from "../../lib/json.ts";
import { withoutWrapping } from "../../security/external-content.ts";

/** The file for facts: every prompt includes it. */
export const MEMORY_FILE = "MEMORY.md";

const MAX_LINES = 8;

/** The call that appends a line to the memory file, given its content; undefined if there is no file. */
export function appendCall(content: string | undefined, line: string): { tool: "write" | "edit"; args: JsonObject } {
  const text = content?.trim() ?? "";
  if (text === "" || EMPTY.test(text)) {
    return { tool: "write", args: { path: MEMORY_FILE, content: `# Memory\n\n${line}\n` } };
  }
  const end = uniqueEnd(text);
  return { tool: "edit", args: { path: MEMORY_FILE, edits: [{ oldText: end, newText: `${end}\n${line}` }] } };
}

/** How a tool may report an empty file. */
const EMPTY = /^\W*(?:the )?file is empty\W*$/i;

/** The shortest run of whole lines at the end of a text that occurs only once: the anchor of an edit. */
function uniqueEnd(text: string): string {
  let start = text.lastIndexOf("\n") + 1;
  while (text.indexOf(text.slice(start)) < start) start = text.lastIndexOf("\n", start - 2) + 1;
  return text.slice(start);
}

/** The lines of a memory file that share a word with a topic, best first; the last lines without a topic. */
export function linesAbout(content: string, topic: string): string[] {
  const lines = linesIn(content);
  const wanted = searchTerms(topic);
  if (wanted.length === 0) return lines.slice(-MAX_LINES);
  const scored = lines.map((line) => ({ line, score: overlap(wanted, searchTerms(line)) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_LINES)
    .map(({ line }) => line);
}

/** The lines of a text without headings and list marks. */
function linesIn(content: string): string[] {
  return content
    .split("\n")
    .map((line) =>
      line
        .replace(/^\s*[-*]\s+/, "")
        .replace(/^(?:The user said: |用户说：)/, "")
        .trim(),
    )
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** A line of memory with its source, if it may be cited. */
export interface Recalled {
  line: string;
  source: string | undefined;
}

/**
 * The lines about a topic in a result of `memory_search`: those that share a word with it; if none does, because the
 * search matched by meaning, the beginning of the best passage. Empty if the result has no passages.
 */
export function recalledFrom(result: string, topic: string): Recalled[] {
  const passages = passagesIn(result);
  const found = passages.flatMap(({ text, source }) => linesAbout(text, topic).map((line) => ({ line, source })));
  const [best] = passages;
  const begin = best === undefined ? [] : linesIn(best.text).slice(0, MAX_BEGIN_LINES);
  const lines = found.length > 0 ? found : begin.map((line) => ({ line, source: best?.source }));
  const isFirst = ({ line }: Recalled, at: number) => lines.findIndex((other) => other.line === line) === at;
  return lines.filter(isFirst).slice(0, MAX_LINES);
}

const MAX_BEGIN_LINES = 3;

/**
 * The passages of a `memory_search` result: a line with number, path and score above each, optionally a source line
 * below.
 */
function passagesIn(result: string): { text: string; source: string | undefined }[] {
  const [, ...passages] = withoutWrapping(result).split(/^\d+\. .+, lines? [\d-]+ \(score .*\)$/m);
  return passages.map((passage) => {
    const [, text = passage, source] = /^(.*)\nSource: ([^\n]+)\s*$/s.exec(passage) ?? [];
    return { text, source };
  });
}

const EMPTY_WORDS = new Set(
  (
    "a about all an and any anything are at can did do does everything for from had has have i in is it know like me my " +
    "of on or remember said tell that the this to told was we were what when where which who with you your"
  ).split(" "),
);

/** The meaningful words of a text; of Chinese, every pair of neighbouring characters. */
function searchTerms(text: string): string[] {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !/\p{Script=Han}/u.test(word));
  const runs = text.replace(/[我你您的了吗呢是]|什么|喜欢/g, " ").match(/\p{Script=Han}+/gu) ?? [];
  const pairs = runs.flatMap((run) =>
    run.length === 1 ? [run] : [...run].slice(1).map((char, i) => `${run[i]}${char}`),
  );
  return [...words.filter((word) => !EMPTY_WORDS.has(word)), ...pairs];
}

/** How many terms of a topic a text has; from four letters on, a word matches its longer forms. */
function overlap(wanted: string[], present: string[]): number {
  return wanted.filter((term) => present.some((other) => isSameTerm(term, other))).length;
}

function isSameTerm(a: string, b: string): boolean {
  if (/^\p{Script=Han}$/u.test(a)) return b.includes(a);
  return a === b || (Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a)));
}
