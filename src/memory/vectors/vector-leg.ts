import { within } from "../../lib/deadline.ts";
import type { Degraded } from "../agent-memory.ts";
import { embedQuery } from "../embed/embed-cached.ts";
import { type Embedder, EmbedError } from "../embed/embedder.ts";
import type { VectorAnswer, VectorLeg } from "../search/search-room.ts";
import { bestFirst } from "./best-first.ts";
import { openIndex } from "./open-index.ts";
import { embeddersOf } from "./space-keeper.ts";
import { type Space, spacesOf } from "./spaces.ts";
import { VectorIndexError } from "./vector-index.ts";
import type { VectorRoom } from "./vector-room.ts";

/** How long a search waits for the vector of its query. */
const QUERY_MS = 3000;

/** The half of a search that compares vectors; undefined where words alone are searched. Asks nobody yet. */
export function openVectorLeg(room: VectorRoom): VectorLeg | undefined {
  if (embeddersOf(room).primary === undefined) return undefined;
  return {
    nearest: async (query, count) => {
      try {
        return await within(QUERY_MS, (signal) => nearest(room, { query, count, signal }));
      } catch (error) {
        const why = error instanceof VectorIndexError ? error.message : "The index of vectors does not answer.";
        return { near: [], degraded: { code: "vectors_unavailable", message: `${why} Words alone were searched.` } };
      }
    },
  };
}

interface Question {
  query: string;
  count: number;
  signal: AbortSignal;
}

/** Asks the spaces that can answer one after the other, until somebody makes a vector of the query. */
async function nearest(room: VectorRoom, { query, count, signal }: Question): Promise<VectorAnswer> {
  const spaces = inOrder(room, await spacesOf(room.database, room.agentId));
  const failures: string[] = [];
  for (const space of spaces) {
    const embedder = embedderFor(room, space);
    if (embedder === undefined) continue;
    const vector = await vectorOf(room, embedder, query, signal).catch((error: unknown) => {
      if (!(error instanceof EmbedError)) throw error;
      failures.push(error.message);
      return undefined;
    });
    if (vector === undefined) continue;
    const near = await (await openIndex(room, space)).nearest(vector, count);
    const degraded = failures[0] === undefined ? lackOf(space) : replaced(failures[0], embedder);
    const { id: provider, model, sees } = embedder;
    return { near, embedder: { provider, model, sees }, ...(degraded !== undefined && { degraded }) };
  }
  return { near: [], degraded: failures[0] === undefined ? noneYet(spaces) : failed(failures[0]) };
}

/** What is whole answers; only where nothing is, what is being made. */
function inOrder(room: VectorRoom, all: readonly Space[]): Space[] {
  const ready = bestFirst(room, all, "ready");
  return ready.length > 0 ? ready : bestFirst(room, all, "building");
}

function embedderFor(room: VectorRoom, { key }: Space): Embedder | undefined {
  const { primary, fallback } = embeddersOf(room);
  return [primary, fallback].find((one) => one?.space === key) ?? room.embedderOf(key);
}

/** The vector of a query. An isolate remembers the latest ones: people ask again, and a provider bills each. @throws EmbedError */
async function vectorOf(
  { packs }: VectorRoom,
  embedder: Embedder,
  query: string,
  signal: AbortSignal,
): Promise<Float32Array> {
  const key = `query ${embedder.space} ${query}`;
  const known = embedder.sees === "meaning" ? packs.get<Float32Array>(key) : undefined;
  if (known !== undefined) return known;
  const vector = await embedQuery(embedder, query, signal);
  if (embedder.sees === "meaning") packs.put(key, vector, vector.byteLength + 2 * key.length);
  return vector;
}

/** What an answer of a space lacks. */
function lackOf({ state, failure }: Space): Degraded | undefined {
  if (state === "building") {
    return { code: "vectors_incomplete", message: "Vectors are being made; what has none yet is found by its words." };
  }
  if (failure === null) return undefined;
  return { code: "vectors_incomplete", message: `New notes have no vectors and are found by their words: ${failure}` };
}

function replaced(failure: string, { id }: Embedder): Degraded {
  return { code: "embedder_failed", message: `${failure} The vectors of ${id} were searched in its place.` };
}

function failed(failure: string): Degraded {
  return { code: "embedder_failed", message: `${failure} Words alone were searched.` };
}

/** @param spaces of embedders that cannot be asked, or none at all */
function noneYet(spaces: readonly Space[]): Degraded {
  const why =
    spaces[0] === undefined
      ? "Vectors are not made yet."
      : `Vectors are being made anew, and who made those of before (${spaces[0].key}) cannot be asked any more.`;
  return { code: "vectors_incomplete", message: `${why} Words alone were searched.` };
}
