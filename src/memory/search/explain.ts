import type { Counter } from "./count-clues.ts";
import type { Candidate, Hit, HitReason } from "./hit.ts";
import type { Passage } from "./passages.ts";
import type { WeighedClue } from "./weigh-clues.ts";

/** What is known of a passage beside what it says. */
export interface Evidence {
  score: number;
  /** By words alone, 0 to 1. */
  words: number;
  boosts: HitReason["boosts"];
  decay: number | undefined;
}

/** A passage as a result, with why it is one. */
export function hitOf(
  passage: Passage,
  { score, words, boosts, decay }: Evidence,
  clues: readonly WeighedClue[],
  count: Counter,
): Hit {
  const { core, startLine, endLine, text } = passage;
  const { path, source } = core.chunks[0];
  const keyword = firstBy(core.chunks, "keyword")?.keyword;
  const vector = firstBy(core.chunks, "vector")?.vector;
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
      ...(keyword && { keyword: { rank: keyword.rank, score: words, terms: spelledIn(count(text).counts, clues) } }),
      ...(vector && { vector: { ...vector, score: Math.max(0, vector.similarity) } }),
      boosts,
      ...(decay !== undefined && { decay }),
    },
  };
}

/** The chunk that a leg of the search ranks first; undefined where it found none. */
function firstBy(chunks: readonly Candidate[], leg: "keyword" | "vector"): Candidate | undefined {
  const found = chunks.filter((chunk) => chunk[leg] !== undefined);
  return found.toSorted((a, b) => (a[leg]?.rank ?? 0) - (b[leg]?.rank ?? 0))[0];
}

/** The clues that are counted, as the query spells them. */
function spelledIn(counts: ReadonlyMap<number, number>, clues: readonly WeighedClue[]): string[] {
  return [...new Set(clues.flatMap(({ spelled }, at) => (counts.has(at) ? [spelled] : [])))];
}
