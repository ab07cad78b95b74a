import { piecesOf } from "../text/pieces.ts";
import type { Hit } from "./hit.ts";

/** Passages that share fewer of their words than this say different things. */
const LEAST_LIKENESS = 0.5;

/**
 * Chooses `count` of some hits, by MMR: one that says what another says gives way, the more the smaller `lambda` is. The
 * chosen ones come best first.
 */
export function chooseVaried(hits: readonly Hit[], count: number, lambda: number): Hit[] {
  const left = hits.map((hit) => ({ hit, words: wordsOf(hit.snippet), likeness: 0 }));
  const chosen: Hit[] = [];
  while (chosen.length < count && left.length > 0) {
    const values = left.map(({ hit, likeness }) => lambda * hit.score - (1 - lambda) * likeness);
    const [best] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (best === undefined) break;
    chosen.push(best.hit);
    for (const other of left) other.likeness = Math.max(other.likeness, likenessOf(best.words, other.words));
  }
  return chosen.toSorted((a, b) => b.score - a.score);
}

function wordsOf(text: string): Set<string> {
  return new Set(Array.from(piecesOf(text.toLowerCase()), (piece) => piece.text));
}

/** The share of words that two texts have in common, 0 to 1; 0 where it is small. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  const likeness = common / (one.size + other.size - common || 1);
  return likeness < LEAST_LIKENESS ? 0 : likeness;
}
