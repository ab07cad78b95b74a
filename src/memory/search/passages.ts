import type { Hit, HitReason } from "../agent-memory.ts";
import type { ClueCounter, WeighedClue } from "./clues.ts";
import { type Line, SNIPPET_SIZE } from "./lines.ts";
import type { Candidate } from "./query-index.ts";

/** Consecutive lines of a file, or parts of one line. */
export interface Passage {
  /** The line that it was built around. */
  core: Line;
  startLine: number;
  endLine: number;
  text: string;
}

/**
 * Builds the passage around a line: adds the better neighbour while the snippet has space. Never uses taken lines, and
 * takes its own.
 */
export function passageAround(core: Line, scores: ReadonlyMap<Line, number>, taken: Set<Line>): Passage {
  const lines = [core];
  let free = SNIPPET_SIZE - core.size;
  function fits(line: Line | undefined): line is Line {
    return line !== undefined && !taken.has(line) && line.size + 1 <= free && isJoined(line, core);
  }
  for (;;) {
    const [before, after] = [lines[0]?.before, lines.at(-1)?.after];
    const isAfter = fits(after) && !(fits(before) && (scores.get(before) ?? 0) > (scores.get(after) ?? 0));
    if (isAfter) lines.push(after);
    else if (fits(before)) lines.unshift(before);
    else break;
    free -= 1 + ((isAfter ? after : before)?.size ?? 0);
  }
  for (const line of lines) taken.add(line);
  return toPassage(core, withoutBlankEnds(lines));
}

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
}

/** Turns a passage into a result with its reason. */
export function toHit(
  passage: Passage,
  { score, words, boosts, decay }: Evidence,
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
