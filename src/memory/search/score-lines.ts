import { rarity, type WeighedClue } from "./clues.ts";
import type { Line } from "./lines.ts";

/** BM25's parameters k1 and b: saturation by repetition, and penalty for long lines. */
const SATURATION = 1.2;
const LENGTH = 0.3;
/** The share of a clue in the next line, and in the one after it. */
const BESIDE = 0.6;
const NEAR = 0.3;
/** The share of that if the line has the clue itself. */
const AGAIN = 0.3;
/** The share of a clue's weight that comes from its frequency in the candidates' lines instead of in all chunks. */
const LINE_SHARE = 0.3;
/** The share of a clue that no chunk has: it may be a typing error. */
const UNKNOWN = 0.5;

/** Scores lines with their neighbours: 1 is every clue once. Lines without words are left out. */
export function scoreLines(lines: readonly Line[], clues: readonly WeighedClue[]): Map<Line, number> {
  const nonEmpty = lines.filter(({ words }) => words > 0);
  const meanWords = nonEmpty.reduce((sum, { words }) => sum + words, 0) / nonEmpty.length;
  const weights = clues.map((clue, at) => weightInLines(clue, at, nonEmpty));
  const whole = clues.reduce((sum, { chunks }, at) => sum + (weights[at] ?? 0) * (chunks === 0 ? UNKNOWN : 1), 0);
  return new Map(nonEmpty.map((line) => [line, scoreLine(line, meanWords, weights) / (whole || 1)]));
}

function weightInLines({ weight, idf }: WeighedClue, at: number, lines: readonly Line[]): number {
  const having = lines.reduce((count, { counts }) => count + (counts.has(at) ? 1 : 0), 0);
  return (1 - LINE_SHARE) * idf + LINE_SHARE * weight * rarity(having, lines.length);
}

function scoreLine(line: Line, meanWords: number, weights: readonly number[]): number {
  const around = new Float64Array(weights.length);
  for (const [neighbour, share] of [
    [line.before, BESIDE],
    [line.after, BESIDE],
    [line.before?.before, NEAR],
    [line.after?.after, NEAR],
  ] as const) {
    if (neighbour === undefined) continue;
    for (const at of neighbour.counts.keys())
      around[at] = Math.max(around[at] ?? 0, share * strength(neighbour, at, meanWords));
  }
  let score = 0;
  for (const [at, weight] of weights.entries()) {
    const own = line.counts.has(at) ? strength(line, at, meanWords) : 0;
    score += weight * (own + (own > 0 ? AGAIN : 1) * (around[at] ?? 0));
  }
  return score;
}

/** BM25's term frequency: 1 if a line of average length has the clue once. */
function strength({ counts, words }: Line, at: number, meanWords: number): number {
  const count = counts.get(at) ?? 0;
  return (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH + (LENGTH * words) / meanWords));
}
