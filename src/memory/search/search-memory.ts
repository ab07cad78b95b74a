import { head } from "../../lib/text.ts";
import type { Degraded, SearchAnswer, SearchRequest } from "../agent-memory.ts";
import { type IndexState, readCandidates, readState } from "./ask-index.ts";
import { weightsOf } from "./fuse.ts";
import { matchExpression } from "./match-expression.ts";
import { parseQuery, type Query } from "./parse-query.ts";
import { rankPassages } from "./rank-passages.ts";
import type { SearchRoom, VectorAnswer } from "./search-room.ts";
import { weighClues } from "./weigh-clues.ts";

/** What is behind it in a longer query is not looked for. */
const MAX_QUERY_CHARS = 10_000;
/** Most candidates of a leg: their texts are read. */
const MAX_CANDIDATES = 200;
const NO_VECTORS: VectorAnswer = { near: [] };

/**
 * Looks for the passages that answer a query: two round trips to D1, beside what the vectors need.
 * @throws MemoryError `unavailable`
 */
export async function searchMemory(room: SearchRoom, request: SearchRequest): Promise<SearchAnswer> {
  const { hybrid, ...defaults } = room.settings.query;
  const { maxResults = defaults.maxResults, minScore = defaults.minScore } = request;
  const text = head(request.query, MAX_QUERY_CHARS);
  const query = parseQuery(text);
  const count = Math.min(MAX_CANDIDATES, maxResults * hybrid.candidateMultiplier);
  const sources = room.settings.sources.filter((source) => request.sources?.includes(source) ?? true);
  // Vectors know no paths: what may not be shown is found as well, and takes places.
  const isNarrow = room.sight?.transcripts !== undefined || sources.length < room.settings.sources.length;
  const asked = isNarrow ? MAX_CANDIDATES : count;
  const [state, vectors] = await Promise.all([
    freshState(room, query),
    room.vectorLeg?.nearest(text, asked) ?? NO_VECTORS,
  ]);
  const answer = answerOf(state, vectors);
  if (state === undefined) return { ...answer, results: [] };
  const clues = weighClues(query.clues, state.chunksWith, state.chunks);
  const weights = weightsOf(hybrid, vectors.embedder?.sees);
  const candidates = await readCandidates(room.database, {
    memoryId: state.memoryId,
    match: weights.text === 0 ? undefined : matchExpression(state.memoryId, clues, state.chunks),
    near: new Map(vectors.near.map(({ chunkId, similarity }) => [chunkId, similarity])),
    sources,
    transcripts: room.sight?.transcripts,
    count,
  });
  const visible = candidates.filter(({ path }) => room.sight?.mayShow(path) ?? true);
  // What is near by its letters alone takes the places that words leave.
  const shown = vectors.embedder?.sees === "letters" ? visible.slice(0, count) : visible;
  const ranking = { query, clues, weights, asked, maxResults, minScore, settings: hybrid, now: room.now() };
  return { ...answer, results: rankPassages(shown, ranking) };
}

/** The state of the index, which is brought up to date before where that is quick. */
async function freshState(room: SearchRoom, { clues }: Query): Promise<IndexState | undefined> {
  const terms = [...new Set(clues.flatMap((clue) => clue.terms))];
  const state = await readState(room.database, room.agentId, terms);
  const isAnother = await room.freshen({ pending: state?.pending ?? 0, comparedAt: state?.comparedAt ?? null });
  return isAnother ? readState(room.database, room.agentId, terms) : state;
}

function answerOf(state: IndexState | undefined, { embedder, degraded }: VectorAnswer): Omit<SearchAnswer, "results"> {
  const { files, chunks, pending } = state ?? { files: 0, chunks: 0, pending: 0 };
  // Files that cannot be found at all are more than passages that only their words find.
  const isSlight = degraded === undefined || degraded.code === "vectors_incomplete";
  const lack = isSlight ? (incompleteness(state) ?? degraded) : degraded;
  return {
    mode: embedder === undefined ? "keywords" : "hybrid",
    ...(embedder && { embedder: { provider: embedder.provider, model: embedder.model } }),
    ...(lack && { degraded: lack }),
    index: { files, chunks, pending },
  };
}

function incompleteness(state: IndexState | undefined): Degraded | undefined {
  if (state === undefined || state.comparedAt === null) {
    return { code: "index_incomplete", message: "The memory is being indexed for the first time." };
  }
  if (state.pending === 0) return undefined;
  const files = state.pending === 1 ? "1 file waits" : `${state.pending} files wait`;
  return { code: "index_incomplete", message: `${files} to be indexed.` };
}
