import { indexTerm } from "../text/index-terms.ts";
import type { WeighedClue } from "./weigh-clues.ts";

/** FTS5 reads every row that an expression matches, and D1 bills it. */
const MAX_MATCHES = 1_700;
/** Words of one matter come together more often than by chance. */
const TOGETHER = 2;
/** Most words that are looked at in pairs. */
const MAX_PAIRED = 8;

/** An expression of FTS5. */
export interface Match {
  expression: string;
  /** Whether more rows may match than should be read: then the newest are to be looked at. */
  isWide: boolean;
}

/**
 * What chunks have to have to be candidates: any of the clues, rare ones first, as long as few enough chunks match; of
 * those that are too frequent two at a time. Undefined where no chunk has any. Each term is quoted, so that none is an operator.
 */
export function matchExpression(memoryId: number, clues: readonly WeighedClue[], allChunks: number): Match | undefined {
  const present = clues.filter(({ chunks }) => chunks > 0).toSorted((a, b) => a.chunks - b.chunks);
  const taken: string[] = [];
  let left = MAX_MATCHES;
  const frequent: WeighedClue[] = [];
  for (const clue of present) {
    if (clue.chunks > left) {
      frequent.push(clue);
      continue;
    }
    taken.push(quoted(memoryId, clue));
    left -= clue.chunks;
  }
  for (const { pair, chunks } of pairsOf(frequent, allChunks)) {
    if (chunks > left) break;
    taken.push(`(${pair.map((clue) => quoted(memoryId, clue)).join(" AND ")})`);
    left -= chunks;
  }
  if (taken.length > 0) return { expression: taken.join(" OR "), isWide: false };
  return frequent.length === 0 ? undefined : allOf(memoryId, frequent, allChunks);
}

/** Two clues, and how many chunks have both, fewest first. */
function pairsOf(clues: readonly WeighedClue[], all: number): { pair: WeighedClue[]; chunks: number }[] {
  const paired = clues.slice(0, MAX_PAIRED);
  return paired
    .flatMap((one, at) =>
      paired.slice(at + 1).map((other) => ({ pair: [one, other], chunks: both(one.chunks, other.chunks, all) })),
    )
    .toSorted((a, b) => a.chunks - b.chunks);
}

/** As many of them together as it takes. */
function allOf(memoryId: number, clues: readonly WeighedClue[], all: number): Match {
  const together: string[] = [];
  let chunks = all;
  for (const clue of clues) {
    together.push(quoted(memoryId, clue));
    chunks = together.length === 1 ? clue.chunks : both(chunks, clue.chunks, all);
    if (chunks <= MAX_MATCHES) break;
  }
  return { expression: together.join(" AND "), isWide: chunks > MAX_MATCHES };
}

function both(one: number, other: number, all: number): number {
  return Math.min(one, other, (TOGETHER * one * other) / all);
}

function quoted(memoryId: number, { terms, where }: WeighedClue): string {
  const phrase = `"${terms.map((term) => indexTerm(memoryId, term)).join(" ")}"`;
  return where === "path" ? `place : ${phrase}` : phrase;
}
