import type { Hit, HitReason } from "../agent-memory.ts";
import type { ClueCounter, WeighedClue } from "./clues.ts";
import { type Line, SNIPPET_SIZE, snippetSize } from "./lines.ts";
import type { Candidate } from "./query-index.ts";

/** Consecutive lines of a file, or parts of one line. */
export interface Passage {
  /** The line that it was built around. */
  core: Line;
  lines: readonly Line[];
  startLine: number;
  endLine: number;
  text: string;
}

/** The least that is shown of a line which does not fit whole. */
const LEAST_OF_LINE = 40;

/**
 * Builds the passage around a line: adds the better neighbour while the snippet has space. Never uses taken lines, and
 * takes its own.
 */
export function passageAround(core: Line, scores: ReadonlyMap<Line, number>, taken: Set<Line>): Passage {
  const lines = withNeighbours([core], core, scores, taken);
  for (const line of lines) taken.add(line);
  return toPassage(core, withoutBlankEnds(lines));
}

/**
 * Fills what is left of a snippet with the lines next to it: whole ones that no other snippet shows, then as much of
 * one more as there is space for, with an ellipsis where it is cut.
 * @param shown the lines of all snippets; gets the whole lines that are added
 */
export function filledPassage(passage: Passage, scores: ReadonlyMap<Line, number>, shown: Set<Line>): Passage {
  const { core } = passage;
  const lines = withoutBlankEnds(withNeighbours(passage.lines, core, scores, shown));
  for (const line of lines) shown.add(line);
  return toPassage(core, withPartOfNeighbour(lines, core, scores, shown));
}

/** Adds whole lines before and after, the better one first. */
function withNeighbours(
  given: readonly Line[],
  core: Line,
  scores: ReadonlyMap<Line, number>,
  taken: ReadonlySet<Line>,
): Line[] {
  const lines = [...given];
  let free = freeIn(lines);
  function fits(line: Line | undefined): line is Line {
    return line !== undefined && !taken.has(line) && line.size + 1 <= free && isJoined(line, core);
  }
  for (;;) {
    const [before, after] = [lines[0]?.before, lines.at(-1)?.after];
    const isAfter = fits(after) && !(fits(before) && (scores.get(before) ?? 0) > (scores.get(after) ?? 0));
    if (isAfter) lines.push(after);
    else if (fits(before)) lines.unshift(before);
    else return lines;
    free -= 1 + ((isAfter ? after : before)?.size ?? 0);
  }
}

function withPartOfNeighbour(
  lines: readonly Line[],
  core: Line,
  scores: ReadonlyMap<Line, number>,
  shown: ReadonlySet<Line>,
): readonly Line[] {
  const free = freeIn(lines) - 2;
  function scoreOf(line: Line | undefined): number {
    const isOpen = line !== undefined && !core.isPart && !line.isPart && !shown.has(line) && line.text.trim() !== "";
    return isOpen && free >= LEAST_OF_LINE ? (scores.get(line) ?? 0) : -1;
  }
  const [before, after] = [lines[0]?.before, lines.at(-1)?.after];
  if (after !== undefined && scoreOf(after) >= Math.max(0, scoreOf(before))) {
    return [...lines, { ...after, text: `${cutTo(after.text, free)}…` }];
  }
  if (before === undefined || scoreOf(before) < 0) return lines;
  const end = Array.from(cutTo(Array.from(before.text).reverse().join(""), free))
    .reverse()
    .join("");
  return [{ ...before, text: `…${end}` }, ...lines];
}

function freeIn(lines: readonly Line[]): number {
  return SNIPPET_SIZE - lines.reduce((sum, { size }) => sum + size + 1, -1);
}

/** As many whole words of the beginning as fit into a size. */
function cutTo(text: string, size: number): string {
  let kept = "";
  let left = size;
  for (const character of text) {
    left -= snippetSize(character);
    if (left < 0) break;
    kept += character;
  }
  const space = kept.lastIndexOf(" ");
  return kept.length < text.length && space > kept.length - LONGEST_WORD ? kept.slice(0, space) : kept;
}

/** A longer run without spaces is cut within itself. */
const LONGEST_WORD = 20;

/** Whole lines join whole lines; parts join parts of their own line. */
function isJoined(line: Line, core: Line): boolean {
  return core.isPart ? line.isPart && line.number === core.number : !line.isPart;
}

function withoutBlankEnds(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  const last = lines.findLastIndex(({ text }) => text.trim() !== "");
  return lines.slice(first, last + 1);
}

function toPassage(core: Line, lines: readonly Line[]): Passage {
  const text = lines.map((line) => line.text).join(core.isPart ? "" : "\n");
  return {
    core,
    lines,
    startLine: lines[0]?.number ?? core.number,
    endLine: lines.at(-1)?.number ?? core.number,
    text: core.isPart ? text.trim() : text,
  };
}

/** The scores of a passage. */
export interface Evidence {
  score: number;
  /** By words only, 0 to 1. */
  words: number;
  boosts: HitReason["boosts"];
  decay: number | undefined;
  /** How many other lines say the same. */
  repeats: number;
}

/** Turns a passage into a result with its reason. */
export function toHit(
  passage: Passage,
  { score, words, boosts, decay, repeats }: Evidence,
  clues: readonly WeighedClue[],
  count: ClueCounter,
): Hit {
  const { core, startLine, endLine, text } = passage;
  const { path, source } = core.chunks[0];
  const keyword = bestRanked(core.chunks, "keyword")?.keyword;
  const vector = bestRanked(core.chunks, "vector")?.vector;
  return {
    path,
    source,
    startLine,
    endLine,
    score,
    snippet: text,
    citation: startLine === endLine ? `${path}#L${startLine}` : `${path}#L${startLine}-L${endLine}`,
    reason: {
      legs: keyword === undefined ? "vector" : vector === undefined ? "keyword" : "both",
      ...(keyword && { keyword: { rank: keyword.rank, score: words, terms: spelledClues(count(text).counts, clues) } }),
      ...(vector && { vector: { ...vector, score: Math.max(0, vector.similarity) } }),
      boosts,
      ...(decay !== undefined && { decay }),
      ...(repeats > 0 && { repeats }),
    },
  };
}

/** The chunk with the best rank by words or by vector; undefined if there is none. */
function bestRanked(chunks: readonly Candidate[], by: "keyword" | "vector"): Candidate | undefined {
  const found = chunks.filter((chunk) => chunk[by] !== undefined);
  return found.toSorted((a, b) => (a[by]?.rank ?? 0) - (b[by]?.rank ?? 0))[0];
}

/** The counted clues, spelled as in the query. */
function spelledClues(counts: ReadonlyMap<number, number>, clues: readonly WeighedClue[]): string[] {
  return [...new Set(clues.flatMap(({ spelled }, at) => (counts.has(at) ? [spelled] : [])))];
}
