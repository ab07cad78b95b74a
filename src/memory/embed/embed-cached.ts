import type { Agent } from "../../config/agents.ts";
import { within } from "../../lib/deadline.ts";
import { type Embedder, EmbedError } from "./embedder.ts";
import { cachedEmbeddings, keepEmbeddings } from "./embedding-cache.ts";

/** A text to be embedded, and what it is known by. */
export interface HashedText {
  /** SHA-256 of the text, hex. */
  hash: string;
  text: string;
}

/** What texts are embedded with. */
export interface EmbedRoom {
  database: D1Database;
  settings: Pick<Agent["memorySearch"], "cache" | "remote">;
  now(): number;
  /** An instant after which no further request begins. */
  until: number;
  /** Calls all of it off: what is done stays done. */
  signal?: AbortSignal | undefined;
}

/** How far it went. What is in none of the two maps is to be tried again. */
export interface Embedded {
  /** By hash. */
  vectors: Map<string, Float32Array>;
  /** By hash, why a text can have none: a sentence. */
  refused: Map<string, string>;
  /** What kept the rest from being embedded; absent where only time did. */
  failure?: EmbedError;
  /** How many of the texts are still to be embedded. */
  left: number;
}

/** How long a provider may take for one batch. */
const BATCH_MS = 30_000;

/** Most characters of a batch: below what any provider takes at once, also where each one is a token. */
const BATCH_CHARS = 100_000;

/** What no provider has a reason to refuse. */
const HARMLESS = "a note";

/**
 * Embeds texts of documents in batches. What was embedded before comes out of the cache, and the same text is embedded
 * once. A text that a provider refuses is found by halving its batch, and goes without. Never throws an `EmbedError`:
 * what was made before one is kept.
 */
export async function embedCached(
  room: EmbedRoom,
  embedder: Embedder,
  texts: readonly HashedText[],
): Promise<Embedded> {
  const { database, settings, now, until, signal } = room;
  const all = new Map(texts.map(({ hash, text }) => [hash, text]));
  const blank = [...all].filter(([, text]) => text.trim() === "");
  const refused = new Map(blank.map(([hash]) => [hash, "It has no words."]));
  // To look up what a hash gives costs more than to make it.
  const isCached = settings.cache.enabled && embedder.sees === "meaning";
  const vectors = isCached
    ? await cachedEmbeddings(database, embedder, [...all.keys()], now())
    : new Map<string, Float32Array>();
  const waiting = [...all].flatMap(([hash, text]) => (vectors.has(hash) || refused.has(hash) ? [] : [{ hash, text }]));
  const found = (): Embedded => ({ vectors, refused, left: all.size - vectors.size - refused.size });
  const batches = batchesOf(waiting, settings.remote.batch.enabled ? settings.remote.batch.size : 1, embedder.maxBatch);
  let isTakingTexts = false;
  while (batches.length > 0 && now() < until && !signal?.aborted) {
    const batch = batches.shift() ?? [];
    try {
      const made = await embedBatch(embedder, batch, signal);
      isTakingTexts = true;
      for (const [hash, vector] of made) vectors.set(hash, vector);
      if (isCached)
        await keepEmbeddings(database, embedder, made, { now: now(), maxEntries: settings.cache.maxEntries });
    } catch (error) {
      if (!(error instanceof EmbedError)) throw error;
      if (signal?.aborted) break;
      if (error.kind !== "rejected") return { ...found(), failure: error };
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        batches.unshift(batch.slice(0, middle), batch.slice(middle));
        continue;
      }
      isTakingTexts ||= await takesTexts(embedder, signal);
      if (!isTakingTexts) return { ...found(), failure: new EmbedError("unavailable", error.message) };
      for (const { hash } of batch) refused.set(hash, error.message);
    }
  }
  return found();
}

/** Whether a provider takes any text at all; where it refuses all of them, it is the request that is wrong. */
async function takesTexts(embedder: Embedder, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await embedBatch(embedder, [{ hash: "", text: HARMLESS }], signal);
    return true;
  } catch (error) {
    if (error instanceof EmbedError) return false;
    throw error;
  }
}

/** A query's vector, in time for somebody who waits for an answer. @throws EmbedError */
export async function embedQuery(embedder: Embedder, query: string, signal?: AbortSignal): Promise<Float32Array> {
  const [vector] = await within(QUERY_MS, (late) => embedder.embed([query], "query", either(late, signal)));
  if (vector === undefined) throw new EmbedError("unavailable", "There is no vector of the query.");
  return vector;
}

/** How long a search waits for the vector of its query; after that words have to do. */
const QUERY_MS = 4000;

async function embedBatch(
  embedder: Embedder,
  batch: readonly HashedText[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Float32Array>> {
  const texts = batch.map(({ text }) => text);
  const vectors = await within(BATCH_MS, (late) => embedder.embed(texts, "document", either(late, signal)));
  return new Map(batch.flatMap(({ hash }, at) => (vectors[at] === undefined ? [] : [[hash, vectors[at]]])));
}

function either(late: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? late : AbortSignal.any([late, signal]);
}

/** Batches of so many texts, and of no more characters than a provider takes at once; one long text is a batch. */
function batchesOf(texts: readonly HashedText[], size: number, maxBatch: number): HashedText[][] {
  const batches: HashedText[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const one of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= Math.min(size, maxBatch) || chars + one.text.length > BATCH_CHARS) {
      batches.push([one]);
      chars = one.text.length;
    } else {
      last.push(one);
      chars += one.text.length;
    }
  }
  return batches;
}
