import type { Agent } from "../../config/agents.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { Candidate } from "./hit.ts";

/** How much words and nearness count; one that is not searched by counts 0. */
export interface Weights {
  text: number;
  vector: number;
}

/** What is near by its letters was mostly found by its words: this much of its weight is left, or ranking gets worse. */
const LETTERS_SHARE = 0.01;

/** How much each leg counts, by the settings and by what the embedder sees; words alone where there is no embedder. */
export function weightsOf(
  { enabled, textWeight, vectorWeight }: Agent["memorySearch"]["query"]["hybrid"],
  sees: Embedder["sees"] | undefined,
): Weights {
  if (sees === undefined) return { text: 1, vector: 0 };
  const vector = sees === "letters" ? vectorWeight * LETTERS_SHARE : vectorWeight;
  if (!enabled) return { text: 0, vector: 1 };
  return textWeight + vector === 0 ? { text: 1, vector: 0 } : { text: textWeight, vector };
}

/**
 * One score, 0 to 1, of two.
 * @param nearness undefined where nothing is known of it: then words stand for both
 */
export function fuse(words: number, nearness: number | undefined, { text, vector }: Weights): number {
  if (nearness === undefined || vector === 0) return words;
  return (text * words + vector * nearness) / (text + vector);
}

/**
 * Says of a chunk how near it is, 0 to 1. One that is not among the nearest is no nearer than the last of these; where there are fewer
 * than were asked for, all that have a vector are among them, and of the others nothing is known.
 */
export function nearnessBy(candidates: readonly Candidate[], asked: number): (chunk: Candidate) => number | undefined {
  const known = candidates.flatMap(({ vector }) => (vector === undefined ? [] : [vector]));
  const furthest = Math.min(...known.map(({ similarity }) => similarity));
  const areAll = known.every(({ rank }) => rank < asked);
  return ({ vector }) => {
    if (vector !== undefined) return Math.max(0, vector.similarity);
    return areAll ? undefined : Math.max(0, furthest);
  };
}
