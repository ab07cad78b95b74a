import { indexTerm } from "../text/terms.ts";
import type { WeighedClue } from "./clues.ts";

/** Rows that an expression may match: FTS5 reads every one, and D1 bills it. */
const MAX_MATCHES = 1_700;
/** Words of one subject occur together more often than by chance. */
const TOGETHER = 2;
/** Clues that are combined to pairs. */
const MAX_PAIRED = 8;

/** An expression of FTS5. */
export interface Match {
  expression: string;
  /** Whether too many rows may match, so that only the newest should be read. */
  isWide: boolean;
}

/**
 * The expression that candidates match: any of the clues, rare ones first, while few enough chunks match, then pairs of
 * frequent ones. Undefined if no chunk has a clue. Each term is quoted, so that none is an operator.
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
  for (const { pair, chunks } of cluePairs(frequent, allChunks)) {
    if (chunks > left) break;
    taken.push(`(${pair.map((clue) => quoted(memoryId, clue)).join(" AND ")})`);
    left -= chunks;
  }
  if (taken.length > 0) return { expression: taken.join(" OR "), isWide: false };
  return frequent.length === 0 ? undefined : conjunction(memoryId, frequent, allChunks);
}

/** Pairs of clues with the estimated number of chunks with both, fewest first. */
function cluePairs(clues: readonly WeighedClue[], all: number): { pair: WeighedClue[]; chunks: number }[] {
  const paired = clues.slice(0, MAX_PAIRED);
  return paired
    .flatMap((one, at) =>
      paired
        .slice(at + 1)
        .map((other) => ({ pair: [one, other], chunks: estimateBoth(one.chunks, other.chunks, all) })),
    )
    .toSorted((a, b) => a.chunks - b.chunks);
}

/** Combines clues until few enough chunks match. */
function conjunction(memoryId: number, clues: readonly WeighedClue[], all: number): Match {
  const together: string[] = [];
  let chunks = all;
  for (const clue of clues) {
    together.push(quoted(memoryId, clue));
    chunks = together.length === 1 ? clue.chunks : estimateBoth(chunks, clue.chunks, all);
    if (chunks <= MAX_MATCHES) break;
  }
  return { expression: together.join(" AND "), isWide: chunks > MAX_MATCHES };
}

function estimateBoth(one: number, other: number, all: number): number {
  return Math.min(one, other, (TOGETHER * one * other) / all);
}

function quoted(memoryId: number, { terms, where }: WeighedClue): string {
  const phrase = `"${terms.map((term) => indexTerm(memoryId, term)).join(" ")}"`;
  return where === "path" ? `place : ${phrase}` : phrase;
}
