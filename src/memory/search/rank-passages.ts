import type { Agent } from "../../config/agents.ts";
import type { Hit } from "../agent-memory.ts";
import type { Embedder } from "../embed/embedder.ts";
import { splitPieces } from "../text/pieces.ts";
import { ageDecay, lineBooster, pathDay } from "./boosts.ts";
import { type ClueCounter, clueCounter, type WeighedClue } from "./clues.ts";
import { candidateLines, type Line } from "./lines.ts";
import { normalizePhrase, type Query } from "./parse-query.ts";
import { type Evidence, filledPassage, type Passage, passageAround, toHit } from "./passages.ts";
import type { Candidate } from "./query-index.ts";
import { scoreLines } from "./score-lines.ts";

/** What a ranking depends on. */
export interface Ranking {
  query: Query;
  clues: readonly WeighedClue[];
  weights: Weights;
  /** How many near chunks were requested. */
  asked: number;
  maxResults: number;
  minScore: number;
  settings: Pick<Agent["memorySearch"]["query"]["hybrid"], "mmr" | "temporalDecay" | "textWeight">;
  now: number;
}

/** A line with its scores. */
interface Scored extends Omit<Evidence, "score"> {
  line: Line;
  nearness: number | undefined;
  /** What its path or an exact phrase has added to its score. */
  added: number;
}

/** What the rank of its chunk adds to a line, where all clues of a query count 1. */
const CHUNK_SHARE = 0.1;
/** How fast a score approaches 1: a line with half of the clues gets 0.63. */
const STEEPNESS = 2;
/** Passages built for each result, because some are dropped for variety. */
const SPARE = 2;

/**
 * Ranks the passages of candidates, best first. What several lines say is one result, from the newest file; a file gives
 * at most half of the results where other files have some, too; and what is left of a snippet's space goes to the lines next to it.
 */
export function rankPassages(candidates: readonly Candidate[], ranking: Ranking): Hit[] {
  const { clues, maxResults, minScore, settings } = ranking;
  const count = clueCounter(clues.map(({ key }) => key));
  const lines = candidateLines(candidates, count);
  const shares = scoreLines(lines, clues);
  const scored = withoutRepeats(scoredLines(shares, candidates, ranking));
  const found = bestHits(shares, scored, count, ranking);
  const minWordScore = Math.min(minScore, settings.textWeight);
  const hasAllKnown = allKnownWords(clues);
  const good = [...found.keys()].filter(
    (hit) => hit.score >= minScore || (hit.reason.keyword?.score ?? -1) >= minWordScore || hasAllKnown(hit),
  );
  const chosen = chooseVaried(good, maxResults, settings.mmr.enabled ? settings.mmr.lambda : 1);
  const shown = new Set(chosen.flatMap((hit) => found.get(hit)?.passage.lines ?? []));
  return chosen.map((hit) => {
    const { passage, evidence } = found.get(hit) ?? {};
    if (passage === undefined || evidence === undefined) return hit;
    return toHit(filledPassage(passage, shares, shown), evidence, clues, count);
  });
}

/** Of the words of a query, the least share that the memory has to know for passages below the score to count. */
const LEAST_KNOWN = 1 / 3;

/**
 * Returns a test for passages with all words of the query that the memory has, if those are enough of it: the others
 * are words that nobody wrote.
 */
function allKnownWords(clues: readonly WeighedClue[]): (hit: Hit) => boolean {
  const known = new Set(clues.flatMap(({ chunks, spelled }) => (chunks > 0 ? [spelled] : [])));
  const asked = new Set(clues.map(({ spelled }) => spelled));
  if (known.size === 0 || known.size < LEAST_KNOWN * asked.size) return () => false;
  return ({ reason }) => reason.keyword !== undefined && reason.keyword.terms.length >= known.size;
}

/** Lines with a score by words or by vector. */
function scoredLines(
  shares: ReadonlyMap<Line, number>,
  candidates: readonly Candidate[],
  { query, clues, asked, settings, now }: Ranking,
): Scored[] {
  const bestBm25 = Math.max(...candidates.map(bm25Score));
  const nearnessOf = chunkNearness(candidates, asked);
  const boostOf = lineBooster(query, clues);
  const { enabled, halfLifeDays } = settings.temporalDecay;
  return [...shares].flatMap(([line, share]) => {
    const { path } = line.chunks[0];
    const { added, boosts } = boostOf(line, path, share);
    const wordScore = share + added;
    if (wordScore === 0 && line.chunks.every(({ vector }) => vector === undefined)) return [];
    const ofChunk =
      bestBm25 > 0 && wordScore > 0 ? (CHUNK_SHARE * Math.max(...line.chunks.map(bm25Score))) / bestBm25 : 0;
    const known = line.chunks.flatMap((chunk) => nearnessOf(chunk) ?? []);
    return {
      line,
      words: 1 - Math.exp(-STEEPNESS * (wordScore + ofChunk)),
      nearness: known.length === 0 ? undefined : Math.max(...known),
      boosts,
      added,
      decay: enabled ? ageDecay(path, halfLifeDays, now) : undefined,
      repeats: 0,
    };
  });
}

/** Fewer words than this say too little to be the same thing. */
const LEAST_WORDS = 3;

/**
 * Of lines that say the same but for numbers, the one that the query's dates or path name, else the one of the newest
 * file. A heading says what it stands over, so it is never the same as another one.
 */
function withoutRepeats(scored: readonly Scored[]): Scored[] {
  const groups = new Map<string | Line, Scored[]>();
  for (const one of scored) {
    const key = sameness(one.line) ?? one.line;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const dropped = new Set<Line>();
  const kept = [...groups.values()].flatMap((group) => {
    const [first, ...others] = group.length === 1 ? group : group.toSorted(byBoostAndAge);
    for (const { line } of others) dropped.add(line);
    return first === undefined || others.length === 0
      ? group
      : [{ ...first, words: Math.max(...group.map(({ words }) => words)), repeats: others.length }];
  });
  if (dropped.size === 0) return kept;
  // What has its score from a dropped line alone would bring it back.
  return kept.filter(({ line }) => line.counts.size > 0 || !nearLines(line).some((near) => dropped.has(near)));
}

function nearLines({ before, after }: Line): Line[] {
  return [before, before?.before, after, after?.after].filter((line) => line !== undefined);
}

/** What a line says, without case, marks and numbers; undefined where it says too little. */
function sameness({ text, words, isPart }: Line): string | undefined {
  if (words < LEAST_WORDS || isPart || text.startsWith("#")) return undefined;
  return normalizePhrase(text.replace(/\p{N}+/gu, "0"));
}

function byBoostAndAge(one: Scored, other: Scored): number {
  return other.added - one.added || pathDay(other.line.chunks[0].path) - pathDay(one.line.chunks[0].path);
}

function bm25Score({ keyword }: Candidate): number {
  return keyword?.bm25 ?? 0;
}

function bestHits(
  shares: ReadonlyMap<Line, number>,
  scored: readonly Scored[],
  count: ClueCounter,
  { clues, weights, maxResults }: Ranking,
): Map<Hit, { passage: Passage; evidence: Evidence }> {
  const hits = new Map<Hit, { passage: Passage; evidence: Evidence }>();
  const taken = new Set<Line>();
  /** Passages of each chunk so far: its nearness counts less for each further one. */
  const shown = new Map<Candidate, number>();
  function scoreOf({ line, words, nearness, decay = 1 }: Scored): number {
    const times = 1 + Math.max(...line.chunks.map((chunk) => shown.get(chunk) ?? 0));
    return decay * fuse(words, nearness === undefined ? undefined : nearness / times, weights);
  }
  while (hits.size < maxResults * SPARE) {
    let best: { scored: Scored; score: number } | undefined;
    for (const one of scored) {
      const score = taken.has(one.line) ? 0 : scoreOf(one);
      if (score > (best?.score ?? 0)) best = { scored: one, score };
    }
    if (best === undefined) break;
    const { line } = best.scored;
    const passage = passageAround(line, shares, taken);
    const evidence = { ...best.scored, score: best.score };
    hits.set(toHit(passage, evidence, clues, count), { passage, evidence });
    for (const chunk of line.chunks) shown.set(chunk, (shown.get(chunk) ?? 0) + 1);
  }
  return hits;
}

/** Weights of words and vectors; 0 if not searched. */
export interface Weights {
  text: number;
  vector: number;
}

/** Weight of vectors of letters: they mostly repeat what words found, and more would make the ranking worse. */
const LETTERS_SHARE = 0.01;

/** The weights by settings and kind of embedder; words only without an embedder. */
export function searchWeights(
  { enabled, textWeight, vectorWeight }: Agent["memorySearch"]["query"]["hybrid"],
  sees: Embedder["sees"] | undefined,
): Weights {
  if (sees === undefined) return { text: 1, vector: 0 };
  const vector = sees === "letters" ? vectorWeight * LETTERS_SHARE : vectorWeight;
  if (!enabled) return { text: 0, vector: 1 };
  return textWeight + vector === 0 ? { text: 1, vector: 0 } : { text: textWeight, vector };
}

/**
 * Combines two scores, 0 to 1.
 * @param nearness undefined if unknown: then the score by words is used
 */
export function fuse(words: number, nearness: number | undefined, { text, vector }: Weights): number {
  if (nearness === undefined || vector === 0) return words;
  return (text * words + vector * nearness) / (text + vector);
}

/**
 * Makes a function for the nearness of a chunk, 0 to 1. A chunk that is not among the nearest gets the nearness of the
 * last of them. If there are fewer than requested, all chunks with a vector are among them, and the nearness of others
 * is unknown.
 */
export function chunkNearness(
  candidates: readonly Candidate[],
  asked: number,
): (chunk: Candidate) => number | undefined {
  const known = candidates.flatMap(({ vector }) => (vector === undefined ? [] : [vector]));
  const furthest = Math.min(...known.map(({ similarity }) => similarity));
  const isComplete = known.every(({ rank }) => rank < asked);
  return ({ vector }) => {
    if (vector !== undefined) return Math.max(0, vector.similarity);
    return isComplete ? undefined : Math.max(0, furthest);
  };
}

/** Below this share of common words passages count as different. */
const MIN_SIMILARITY = 0.5;

/**
 * Chooses `count` hits by maximal marginal relevance, best first: at most half of them from one file, unless no other
 * file has any. A smaller `lambda` drops more repetitions.
 */
export function chooseVaried(hits: readonly Hit[], count: number, lambda: number): Hit[] {
  const left = hits.map((hit) => ({ hit, words: uniqueWords(hit.snippet), similarity: 0 }));
  const chosen: Hit[] = [];
  const isOneFile = new Set(hits.map(({ path }) => path)).size === 1;
  const mostOfFile = isOneFile ? count : Math.ceil(count / 2);
  while (chosen.length < count && left.length > 0) {
    const values = left.map(({ hit, similarity }) => lambda * hit.score - (1 - lambda) * similarity);
    const [best] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (best === undefined) break;
    if (chosen.filter(({ path }) => path === best.hit.path).length >= mostOfFile) continue;
    chosen.push(best.hit);
    for (const other of left) other.similarity = Math.max(other.similarity, wordSimilarity(best.words, other.words));
  }
  return chosen.toSorted((a, b) => b.score - a.score);
}

function uniqueWords(text: string): Set<string> {
  return new Set(Array.from(splitPieces(text.toLowerCase()), (piece) => piece.text));
}

/** The share of common words of two texts, 0 to 1; 0 if it is small. */
function wordSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  const similarity = common / (one.size + other.size - common || 1);
  return similarity < MIN_SIMILARITY ? 0 : similarity;
}
