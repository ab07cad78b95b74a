import { within } from "../../lib/deadline.ts";
import type { Degraded, SearchAnswer } from "../agent-memory.ts";
import { embedQuery } from "../embed/embed-cached.ts";
import { type Embedder, EmbedError } from "../embed/embedder.ts";
import { type AgentSpaces, isUsable, readSpaces, type Space } from "./spaces.ts";
import { type NearChunk, VectorIndexError } from "./vector-index.ts";
import { chooseStore, enabledEmbedders, openIndex, type VectorDeps } from "./vector-store.ts";

/** The vector part of a search. */
export interface VectorSearch {
  /** The chunks nearest to a query, best first; some may no longer exist. Never rejects: failures are `degraded`. */
  nearest(query: string, count: number): Promise<VectorAnswer>;
}

export interface VectorAnswer {
  near: readonly NearChunk[];
  /** The embedder of the query's vector; absent if there is none. */
  embedder?: NonNullable<SearchAnswer["embedder"]> & Pick<Embedder, "sees">;
  degraded?: Degraded;
}

/** How long a search waits for its query's vector and the nearest chunks. */
const SEARCH_MS = 3000;
/** Query vectors that an isolate keeps: people repeat queries, and providers bill each. */
const MAX_QUERY_VECTORS = 200;

/** The vector part of a search; undefined if only words are searched. Sends no request. */
export function openVectorSearch(deps: VectorDeps): VectorSearch | undefined {
  const { primary } = enabledEmbedders(deps);
  if (primary === undefined) return undefined;
  return {
    nearest: async (query, count) => {
      try {
        return await within(SEARCH_MS, (signal) => nearest(deps, primary, { query, count, signal }));
      } catch (error) {
        const why = error instanceof VectorIndexError ? error.message : "The index of vectors does not answer.";
        return { near: [], degraded: { code: "vectors_unavailable", message: `${why} ${WORDS_ALONE}` } };
      }
    },
  };
}

const WORDS_ALONE = "Words alone were searched.";

interface Question {
  query: string;
  count: number;
  signal: AbortSignal;
}

/** Asks the usable spaces in turn until an embedder makes a vector of the query. */
async function nearest(deps: VectorDeps, primary: Embedder, { query, count, signal }: Question): Promise<VectorAnswer> {
  const all = await readSpaces(deps.database, deps.agentId);
  const spaces = answeringSpaces(deps, all);
  const failures: string[] = [];
  for (const space of spaces) {
    const embedder = embedderFor(deps, space);
    if (embedder === undefined) continue;
    const vector = await queryVector(deps, embedder, query, signal).catch((error: unknown) => {
      if (!(error instanceof EmbedError)) throw error;
      failures.push(error.message);
      return undefined;
    });
    if (vector === undefined) continue;
    const near = await (await openIndex(deps, space)).nearest(vector, count);
    const degraded = failures[0] === undefined ? incompleteness(space) : replacedBy(embedder, failures[0]);
    const { id: provider, model, sees } = embedder;
    return { near, embedder: { provider, model, sees }, ...(degraded !== undefined && { degraded }) };
  }
  const [failure] = failures;
  if (failure !== undefined) {
    return { near: [], degraded: { code: "embedder_failed", message: `${failure} ${WORDS_ALONE}` } };
  }
  return { near: [], degraded: await noVectors(deps, primary, all, spaces) };
}

/** Complete spaces; if there is none, those that are being built. */
function answeringSpaces(deps: VectorDeps, { spaces, chunks }: AgentSpaces): Space[] {
  const usable = spaces.filter((space) => isUsable(space, chunks));
  const ready = byPreference(deps, usable, "ready");
  return ready.length > 0 ? ready : byPreference(deps, usable, "building");
}

/**
 * The spaces of a state: those without a failure first, then the primary's, the fallback's, and those of earlier
 * embedders.
 */
export function byPreference(deps: VectorDeps, spaces: readonly Space[], state: Space["state"]): Space[] {
  const { primary, fallback } = enabledEmbedders(deps);
  const rank = ({ key, failure }: Space) =>
    (failure === null ? 0 : 10) + (key === primary?.space ? 0 : key === fallback?.space ? 1 : 2);
  return spaces.filter((space) => space.state === state).toSorted((a, b) => rank(a) - rank(b));
}

function embedderFor(deps: VectorDeps, { key }: Space): Embedder | undefined {
  const { primary, fallback } = enabledEmbedders(deps);
  return [primary, fallback].find((one) => one?.space === key) ?? deps.embedderForSpace(key);
}

/** The vector of a query, from the isolate's memory if it was asked before. @throws EmbedError */
async function queryVector(
  { queryVectors }: VectorDeps,
  embedder: Embedder,
  query: string,
  signal: AbortSignal,
): Promise<Float32Array> {
  if (embedder.sees === "letters") return embedQuery(embedder, query, signal);
  const key = `${embedder.space} ${query}`;
  const vector = queryVectors.get(key) ?? (await embedQuery(embedder, query, signal));
  // The least recently used one is the first in the map.
  queryVectors.delete(key);
  queryVectors.set(key, vector);
  for (const oldest of queryVectors.keys()) {
    if (queryVectors.size <= MAX_QUERY_VECTORS) break;
    queryVectors.delete(oldest);
  }
  return vector;
}

/** What is missing in the answer of a space. */
function incompleteness({ state, failure }: Space): Degraded | undefined {
  if (state === "building") {
    return { code: "vectors_incomplete", message: "Vectors are being made; chunks without one are found by words." };
  }
  if (failure === null) return undefined;
  return { code: "vectors_incomplete", message: `New notes have no vectors and are found by words: ${failure}` };
}

function replacedBy({ id }: Embedder, failure: string): Degraded {
  return { code: "embedder_failed", message: `${failure} The vectors of ${id} were searched instead.` };
}

/** @param spaces those that could have answered; their embedders cannot be called */
async function noVectors(
  deps: VectorDeps,
  primary: Embedder,
  all: AgentSpaces,
  [space]: readonly Space[],
): Promise<Degraded> {
  if (space !== undefined) {
    const message = `Vectors are being made, and the embedder of the earlier ones (${space.key}) can no longer be called. ${WORDS_ALONE}`;
    return { code: "vectors_incomplete", message };
  }
  const { unavailable } = await chooseStore(deps, primary, all);
  if (unavailable === undefined) {
    return { code: "vectors_incomplete", message: `Vectors are not made yet. ${WORDS_ALONE}` };
  }
  return { code: "vectors_unavailable", message: `${unavailable.reason} ${WORDS_ALONE} ${unavailable.fix}` };
}
