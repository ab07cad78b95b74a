import type { Agent } from "../../config/agents.ts";
import { head } from "../../lib/text.ts";
import { localTime } from "../../lib/zone.ts";
import type { Degraded, Hit, SearchAnswer, SearchRequest, Visibility } from "../agent-memory.ts";
import type { VectorAnswer, VectorSearch } from "../vectors/vector-search.ts";
import { type WeighedClue, weighClues } from "./clues.ts";
import { matchExpression } from "./match-expression.ts";
import { parseQuery, type Query } from "./parse-query.ts";
import { type IndexSummary, readCandidates, readSummary, readTermsLike } from "./query-index.ts";
import { rankPassages, searchWeights } from "./rank-passages.ts";
import { beginningOf, mendedClues, possibleSlips } from "./slips.ts";

/** Dependencies of a search. */
export interface SearchDeps {
  database: D1Database;
  agentId: string;
  settings: Agent["memorySearch"];
  now(): number;
  /** The user's time zone, for words such as "yesterday"; UTC where it is not known. */
  zone?: string | undefined;
  /**
   * Indexes recent changes if that is quick, and requests the rest. Called once in each search; never rejects.
   * @returns whether the index has changed
   */
  freshen(index: IndexAge): Promise<boolean>;
  /** Undefined if only words are searched. */
  vectorSearch: VectorSearch | undefined;
  /** What the caller may see; default: everything. */
  visibility?: Visibility | undefined;
}

/** How far the index is behind its files. */
export interface IndexAge {
  /** Changed files that are not indexed yet. */
  pending: number;
  /** When all files were last compared with their stores; null if never. */
  comparedAt: number | null;
}

/** Longer queries are cut. */
const MAX_QUERY_CHARS = 10_000;
/** Candidates by words or by vector: their texts are read. */
const MAX_CANDIDATES = 200;
const NO_VECTORS: VectorAnswer = { near: [] };

/**
 * Searches a memory: two round trips to D1, besides those for vectors; one more where a word is misspelt, and one where
 * a recurring line has filled the places of candidates.
 * @throws MemoryError `unavailable`
 */
export async function searchMemory(deps: SearchDeps, request: SearchRequest): Promise<SearchAnswer> {
  const { hybrid, ...defaults } = deps.settings.query;
  const { maxResults = defaults.maxResults, minScore = defaults.minScore } = request;
  const text = head(request.query, MAX_QUERY_CHARS);
  const query = parseQuery(text, localTime(deps.now(), deps.zone ?? "UTC").slice(0, 10));
  const count = Math.min(MAX_CANDIDATES, maxResults * hybrid.candidateMultiplier);
  const sources = deps.settings.sources.filter((source) => request.sources?.includes(source) ?? true);
  // Vectors have no paths: chunks that may not be shown are found too and use up results.
  const isNarrow = deps.visibility?.transcripts !== undefined || sources.length < deps.settings.sources.length;
  const asked = isNarrow ? MAX_CANDIDATES : count;
  const [state, vectors] = await Promise.all([
    freshSummary(deps, query),
    deps.vectorSearch?.nearest(text, asked) ?? NO_VECTORS,
  ]);
  const answer = answerWithoutResults(state, vectors);
  if (state === undefined) return { ...answer, results: [] };
  const { memoryId, chunks } = state;
  const clues = await withoutSlips(deps.database, weighClues(query.clues, state.chunksWith, chunks), state);
  const weights = searchWeights(hybrid, vectors.embedder?.sees);
  const ranking = { query, clues, weights, asked, maxResults, minScore, settings: hybrid, now: deps.now() };
  const near = new Map(vectors.near.map(({ chunkId, similarity }) => [chunkId, similarity]));
  async function resultsAmong(most: number): Promise<{ results: Hit[]; isFull: boolean }> {
    const candidates = await readCandidates(deps.database, {
      memoryId,
      match: weights.text === 0 ? undefined : matchExpression(memoryId, clues, chunks),
      near,
      sources,
      transcripts: deps.visibility?.transcripts,
      count: most,
    });
    const visible = candidates.filter(({ path }) => deps.visibility?.mayShow(path) ?? true);
    // Chunks that are near by letters only fill what words leave.
    const shown = vectors.embedder?.sees === "letters" ? visible.slice(0, most) : visible;
    return { results: rankPassages(shown, ranking), isFull: candidates.length >= most };
  }
  const { results, isFull } = await resultsAmong(count);
  // A line that recurs every day can fill all the places of candidates.
  const isCrowded = isFull && results.length < maxResults && results.some(({ reason }) => reason.repeats !== undefined);
  return { ...answer, results: isCrowded ? (await resultsAmong(MAX_CANDIDATES)).results : results };
}

/** The clues with words of the vocabulary in place of misspelt ones; asks D1 only if there are such. */
async function withoutSlips(
  database: D1Database,
  clues: WeighedClue[],
  { memoryId, chunks }: IndexSummary,
): Promise<WeighedClue[]> {
  const beginnings = [...new Set(possibleSlips(clues).map(beginningOf))];
  if (beginnings.length === 0 || chunks === 0) return clues;
  return mendedClues(clues, await readTermsLike(database, memoryId, beginnings), chunks);
}

/** The summary of the index after quick indexing. */
async function freshSummary(deps: SearchDeps, { clues }: Query): Promise<IndexSummary | undefined> {
  const terms = [...new Set(clues.flatMap((clue) => clue.terms))];
  const state = await readSummary(deps.database, deps.agentId, terms);
  const hasChanged = await deps.freshen({ pending: state?.pending ?? 0, comparedAt: state?.comparedAt ?? null });
  return hasChanged ? readSummary(deps.database, deps.agentId, terms) : state;
}

function answerWithoutResults(
  state: IndexSummary | undefined,
  { embedder, degraded }: VectorAnswer,
): Omit<SearchAnswer, "results"> {
  const { files, chunks, pending } = state ?? { files: 0, chunks: 0, pending: 0 };
  // Files that cannot be found at all matter more than passages that are found by words only.
  const isSlight = degraded === undefined || degraded.code === "vectors_incomplete";
  const lack = isSlight ? (incompleteness(state) ?? degraded) : degraded;
  return {
    mode: embedder === undefined ? "keywords" : "hybrid",
    ...(embedder && { embedder: { provider: embedder.provider, model: embedder.model } }),
    ...(lack && { degraded: lack }),
    index: { files, chunks, pending },
  };
}

function incompleteness(state: IndexSummary | undefined): Degraded | undefined {
  if (state === undefined || state.comparedAt === null) {
    return { code: "index_incomplete", message: "The memory is being indexed for the first time." };
  }
  if (state.pending === 0) return undefined;
  const files = state.pending === 1 ? "1 file waits" : `${state.pending} files wait`;
  return { code: "index_incomplete", message: `${files} to be indexed.` };
}
