import type { Line } from "./lines.ts";
import { rarity, type WeighedClue } from "./weigh-clues.ts";

/** BM25's: how soon more of a word adds nothing, and how much long lines are held back. */
const SATURATION = 1.2;
const LENGTH = 0.3;
/** How much of a clue counts that stands in the line beside, and in the one after that. */
const BESIDE = 0.6;
const NEAR = 0.3;
/** How much of that counts where the line has the clue itself. */
const AGAIN = 0.3;
/** How much of what a clue tells is told by the lines of the candidates, and not by all chunks. */
const TOLD_BY_LINES = 0.3;
/** How much a clue counts that no chunk has: it may be a slip. */
const UNKNOWN = 0.5;

/** How much each line, with what stands around it, has of what is looked for: 1 is all of it, once. Lines without words are left out. */
export function scoreLines(lines: readonly Line[], clues: readonly WeighedClue[]): Map<Line, number> {
  const full = lines.filter(({ words }) => words > 0);
  const usual = full.reduce((sum, { words }) => sum + words, 0) / full.length;
  const tells = clues.map((clue, at) => tellsInLines(clue, at, full));
  const whole = clues.reduce((sum, { chunks }, at) => sum + (tells[at] ?? 0) * (chunks === 0 ? UNKNOWN : 1), 0);
  return new Map(full.map((line) => [line, scoreOf(line, usual, tells) / (whole || 1)]));
}

function tellsInLines({ weight, tells }: WeighedClue, at: number, lines: readonly Line[]): number {
  const having = lines.reduce((count, { counts }) => count + (counts.has(at) ? 1 : 0), 0);
  return (1 - TOLD_BY_LINES) * tells + TOLD_BY_LINES * weight * rarity(having, lines.length);
}

function scoreOf(line: Line, usual: number, tells: readonly number[]): number {
  const around = new Float64Array(tells.length);
  for (const [neighbour, share] of [
    [line.before, BESIDE],
    [line.after, BESIDE],
    [line.before?.before, NEAR],
    [line.after?.after, NEAR],
  ] as const) {
    if (neighbour === undefined) continue;
    for (const at of neighbour.counts.keys())
      around[at] = Math.max(around[at] ?? 0, share * strength(neighbour, at, usual));
  }
  let score = 0;
  for (const [at, tell] of tells.entries()) {
    const own = line.counts.has(at) ? strength(line, at, usual) : 0;
    score += tell * (own + (own > 0 ? AGAIN : 1) * (around[at] ?? 0));
  }
  return score;
}

/** How strongly a line has a clue: 1 where a line of usual length has it once. */
function strength({ counts, words }: Line, at: number, usual: number): number {
  const count = counts.get(at) ?? 0;
  return (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH + (LENGTH * words) / usual));
}
