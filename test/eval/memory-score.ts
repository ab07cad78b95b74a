import { quantile } from "../bench/statistics.ts";
import { linesOf, type MemorySet, type Question } from "./memory-folder.ts";

/** What a search showed: lines of a file. */
export interface Shown {
  path: string;
  startLine: number;
  endLine: number;
  snippet: string;
}

/** A question with what the six best, and the ten best, hits showed of its evidence. */
export interface Scored {
  set: string;
  question: Question;
  /** 0 to 1: evidence that was found, of all that there is. */
  at6: number;
  at10: number;
  /** Characters that the six best showed. */
  charsAt6: number;
  /** What the caller waited, and what the server says that it took. */
  requestMs: number;
  tookMs: number;
  /** What the search had to do without. */
  degraded: string | undefined;
  /** Where it looked, best first: for whoever wants to know why something was not found. */
  shown: Shown[];
}

/** A list of words with those that no hit showed. */
export interface ScoredWords {
  set: string;
  list: string;
  words: number;
  missed: string[];
}

/** How much of the evidence of some questions was found, in percent. */
export interface Recall {
  questions: number;
  recallAt6: number;
  recallAt10: number;
  charsAt6: number;
}

/** What a run found, with what programs look for first. */
export interface Report extends Recall {
  byCategory: Record<string, Recall>;
  searchMs: { p50: number; p95: number };
  indexMs: number;
  maxCharsAt6: number;
  /** As the server itself reckons it. */
  tookMs: { p50: number; p95: number };
  bySet: Record<string, Recall>;
  /** Questions that were answered by less than all, such as words without vectors. */
  degraded: number;
  words: Record<string, { words: number; found: number; missed: string[] }>;
}

/**
 * Why a snippet is not what it says that it is: those lines of that file, whole; a part is one of a single line.
 * Undefined where it is.
 */
export function faultOf({ path, startLine, endLine, snippet }: Shown, set: MemorySet): string | undefined {
  const place = `${set.name}/${path}#L${startLine}-L${endLine}`;
  const text = set.files.get(path);
  if (text === undefined) return `${place}: there is no such file.`;
  const lines = linesOf(text);
  if (startLine < 1 || endLine < startLine || endLine > lines.length) return `${place}: there are no such lines.`;
  if (snippet.trim() === "") return `${place}: it shows nothing.`;
  const there = lines.slice(startLine - 1, endLine).join("\n");
  // A line next to the passage may be cut at the snippet's end, or at its beginning.
  const whole = snippet.replace(/^…|…$/g, "");
  const isShown = startLine === endLine || whole !== snippet ? there.includes(whole) : there === snippet;
  return isShown ? undefined : `${place}: the file says something else than the snippet:\n${there}\n---\n${snippet}`;
}

/** Which share of a question's evidence stands in lines that were shown. */
export function recallOf({ evidence }: Question, shown: readonly Shown[]): number {
  const found = evidence.filter(({ path, line }) =>
    shown.some((one) => one.path === path && one.startLine <= line && line <= one.endLine),
  );
  return found.length / evidence.length;
}

/** Characters of all snippets. */
export function charsOf(shown: readonly Shown[]): number {
  return shown.reduce((sum, { snippet }) => sum + snippet.length, 0);
}

/** Puts together what was found; every question counts the same. */
export function reportOf(scored: readonly Scored[], words: readonly ScoredWords[], indexMs: number): Report {
  const times = (name: "requestMs" | "tookMs") => {
    const all = scored.map((one) => one[name]);
    return { p50: tenths(quantile(all, 0.5)), p95: tenths(quantile(all, 0.95)) };
  };
  return {
    ...recall(scored),
    byCategory: recallBy(scored, ({ question }) => question.category),
    searchMs: times("requestMs"),
    indexMs: Math.round(indexMs),
    maxCharsAt6: Math.max(...scored.map(({ charsAt6 }) => charsAt6)),
    tookMs: times("tookMs"),
    bySet: recallBy(scored, ({ set }) => set),
    degraded: scored.filter((one) => one.degraded !== undefined).length,
    words: Object.fromEntries(
      words.map(({ list, words: count, missed }) => [list, { words: count, found: count - missed.length, missed }]),
    ),
  };
}

function recallBy(scored: readonly Scored[], keyOf: (one: Scored) => string): Record<string, Recall> {
  const groups = Map.groupBy(scored, keyOf);
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, group]) => [key, recall(group)]));
}

function recall(scored: readonly Scored[]): Recall {
  const mean = (name: "at6" | "at10" | "charsAt6") => scored.reduce((sum, one) => sum + one[name], 0) / scored.length;
  return {
    questions: scored.length,
    recallAt6: tenths(100 * mean("at6")),
    recallAt10: tenths(100 * mean("at10")),
    charsAt6: Math.round(mean("charsAt6")),
  };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
