import type { Agent } from "../../config/agents.ts";
import { boostsOf } from "./boosts.ts";
import { type Counter, clueCounter } from "./count-clues.ts";
import { decayOf } from "./decay.ts";
import { type Evidence, hitOf } from "./explain.ts";
import { fuse, nearnessBy, type Weights } from "./fuse.ts";
import type { Candidate, Hit } from "./hit.ts";
import { type Line, linesOf } from "./lines.ts";
import type { Query } from "./parse-query.ts";
import { passageAround } from "./passages.ts";
import { scoreLines } from "./score-lines.ts";
import { chooseVaried } from "./variety.ts";
import type { WeighedClue } from "./weigh-clues.ts";

/** What passages are ranked by. */
export interface Ranking {
  query: Query;
  clues: readonly WeighedClue[];
  weights: Weights;
  /** How many chunks each leg was asked for. */
  asked: number;
  maxResults: number;
  minScore: number;
  settings: Pick<Agent["memorySearch"]["query"]["hybrid"], "mmr" | "temporalDecay" | "textWeight">;
  now: number;
}

/** A line, and what speaks for it. */
interface Scored extends Omit<Evidence, "score"> {
  line: Line;
  nearness: number | undefined;
}

/** How much the rank of its chunk adds to a line, where having all that is looked for counts 1. */
const CHUNK_SHARE = 0.05;
/** How fast a score nears 1: a line that has half of what is looked for gets 0.63. */
const STEEPNESS = 2;
/** So many times as many passages are made as results are given: some give way to others. */
const SPARE = 2;

/** The best passages of some chunks, best first. */
export function rankPassages(candidates: readonly Candidate[], ranking: Ranking): Hit[] {
  const { clues, maxResults, minScore, settings } = ranking;
  const count = clueCounter(clues.map(({ key }) => key));
  const lines = linesOf(candidates, count);
  const shares = scoreLines(lines, clues);
  const hits = bestHits(shares, scoredLines(shares, candidates, ranking), count, ranking);
  const wordsAreEnough = Math.min(minScore, settings.textWeight);
  const good = hits.filter(({ score, reason }) => score >= minScore || (reason.keyword?.score ?? -1) >= wordsAreEnough);
  return chooseVaried(good, maxResults, settings.mmr.enabled ? settings.mmr.lambda : 1);
}

/** The lines that something speaks for. */
function scoredLines(
  shares: ReadonlyMap<Line, number>,
  candidates: readonly Candidate[],
  { query, clues, asked, settings, now }: Ranking,
): Scored[] {
  const bestBm25 = Math.max(...candidates.map(bm25Of));
  const nearnessOf = nearnessBy(candidates, asked);
  const boostOf = boostsOf(query, clues);
  const { enabled, halfLifeDays } = settings.temporalDecay;
  return [...shares].flatMap(([line, share]) => {
    const { path } = line.chunks[0];
    const { added, boosts } = boostOf(line, path, share);
    const found = share + added;
    if (found === 0 && line.chunks.every(({ vector }) => vector === undefined)) return [];
    const ofChunk = bestBm25 > 0 && found > 0 ? (CHUNK_SHARE * Math.max(...line.chunks.map(bm25Of))) / bestBm25 : 0;
    const known = line.chunks.flatMap((chunk) => nearnessOf(chunk) ?? []);
    return {
      line,
      words: 1 - Math.exp(-STEEPNESS * (found + ofChunk)),
      nearness: known.length === 0 ? undefined : Math.max(...known),
      boosts,
      decay: enabled ? decayOf(path, halfLifeDays, now) : undefined,
    };
  });
}

function bm25Of({ keyword }: Candidate): number {
  return keyword?.bm25 ?? 0;
}

function bestHits(
  shares: ReadonlyMap<Line, number>,
  scored: readonly Scored[],
  count: Counter,
  { clues, weights, maxResults }: Ranking,
): Hit[] {
  const hits: Hit[] = [];
  const taken = new Set<Line>();
  /** How many passages of a chunk there are: that it is near speaks for one of them, and less for each further one. */
  const shown = new Map<Candidate, number>();
  function scoreOf({ line, words, nearness, decay = 1 }: Scored): number {
    const times = 1 + Math.max(...line.chunks.map((chunk) => shown.get(chunk) ?? 0));
    return decay * fuse(words, nearness === undefined ? undefined : nearness / times, weights);
  }
  while (hits.length < maxResults * SPARE) {
    let best: { scored: Scored; score: number } | undefined;
    for (const one of scored) {
      const score = taken.has(one.line) ? 0 : scoreOf(one);
      if (score > (best?.score ?? 0)) best = { scored: one, score };
    }
    if (best === undefined) break;
    const { line } = best.scored;
    hits.push(hitOf(passageAround(line, shares, taken), { ...best.scored, score: best.score }, clues, count));
    for (const chunk of line.chunks) shown.set(chunk, (shown.get(chunk) ?? 0) + 1);
  }
  return hits;
}
