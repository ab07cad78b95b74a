import type { Clue } from "./parse-query.ts";

/** A clue, and how much it tells. */
export interface WeighedClue extends Clue {
  /** About how many chunks have it. */
  chunks: number;
  /** Little where many chunks have it. */
  tells: number;
}

/** Most clues that a search goes on with; of more, those that tell the most. */
const MAX_CLUES = 64;
/** Characters of one word stand side by side more often than by chance. */
const TOGETHER = 4;

/** Weighs clues by how many of all chunks have their terms. Those that none has tell nothing of where to look, and stay. */
export function weighClues(
  clues: readonly Clue[],
  chunksWith: ReadonlyMap<string, number>,
  allChunks: number,
): WeighedClue[] {
  const weighed = clues.map((clue) => {
    const counts = clue.terms.map((term) => Math.min(chunksWith.get(term) ?? 0, allChunks));
    const chunks = counts.length === 1 ? (counts[0] ?? 0) : sideBySide(counts, allChunks);
    return { ...clue, chunks, tells: clue.weight * rarity(chunks, allChunks) };
  });
  return weighed.toSorted((a, b) => b.tells - a.tells).slice(0, MAX_CLUES);
}

/** How much it tells to have what `having` of `all` have: BM25's idf, which is never negative. */
export function rarity(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

function sideBySide(counts: readonly number[], all: number): number {
  if (counts.includes(0)) return 0;
  const byChance = counts.reduce((share, count) => (share * count) / all, all);
  return Math.max(1, Math.min(byChance * TOGETHER, ...counts));
}
