import type { Agent } from "../../config/agents.ts";
import { batches } from "../../lib/batches.ts";
import { within } from "../../lib/deadline.ts";
import { type Embedder, EmbedError } from "./embedder.ts";
import { readEmbeddings, storeEmbeddings } from "./embedding-cache.ts";

/** A text to embed, with its hash. */
export interface HashedText {
  /** SHA-256 of the text, hex. */
  hash: string;
  text: string;
}

/** Dependencies of `embedCached`. */
export interface EmbedDeps {
  database: D1Database;
  settings: Pick<Agent["memorySearch"], "cache" | "remote">;
  now(): number;
  /** No request starts after this instant. */
  until: number;
  /** Stops the work; finished batches are kept. */
  signal?: AbortSignal | undefined;
}

/** The result of embedding; texts in neither map should be retried. */
export interface Embedded {
  /** By hash. */
  vectors: Map<string, Float32Array>;
  /** Why texts were refused, a sentence each, by hash. */
  refused: Map<string, string>;
  /** Why the rest was not embedded; absent if time ran out. */
  failure?: EmbedError;
  /** Number of texts that are left. */
  left: number;
}

/** Time limit of one batch. */
const BATCH_MS = 30_000;

/** Characters of a batch: below every provider's limit even if each character is a token. */
const BATCH_CHARS = 100_000;

/** A text that no provider has a reason to refuse. */
const HARMLESS = "a note";

/**
 * Embeds texts of documents in batches. Cached embeddings are reused, and equal texts are embedded once. A refused text
 * is isolated by halving its batch and skipped. An `EmbedError` is returned as `failure`; embeddings made before it are
 * kept.
 */
export async function embedCached(
  deps: EmbedDeps,
  embedder: Embedder,
  texts: readonly HashedText[],
): Promise<Embedded> {
  const { database, settings, now, until, signal } = deps;
  const all = new Map(texts.map(({ hash, text }) => [hash, text]));
  const blank = [...all].filter(([, text]) => text.trim() === "");
  const refused = new Map(blank.map(([hash]) => [hash, "It has no words."]));
  // A local hash is faster to compute than to look up.
  const isCached = settings.cache.enabled && embedder.sees === "meaning";
  const vectors = isCached
    ? await readEmbeddings(database, embedder, [...all.keys()], now())
    : new Map<string, Float32Array>();
  const waiting = [...all].flatMap(([hash, text]) => (vectors.has(hash) || refused.has(hash) ? [] : [{ hash, text }]));
  const result = (): Embedded => ({ vectors, refused, left: all.size - vectors.size - refused.size });
  const count = Math.min(settings.remote.batch.enabled ? settings.remote.batch.size : 1, embedder.maxBatch);
  const queue = [...batches(waiting, ({ text }) => text.length, { size: BATCH_CHARS, count })];
  let acceptsTexts = false;
  while (queue.length > 0 && now() < until && !signal?.aborted) {
    const batch = queue.shift() ?? [];
    try {
      const made = await embedBatch(embedder, batch, signal);
      acceptsTexts = true;
      for (const [hash, vector] of made) vectors.set(hash, vector);
      if (isCached)
        await storeEmbeddings(database, embedder, made, { now: now(), maxEntries: settings.cache.maxEntries });
    } catch (error) {
      if (!(error instanceof EmbedError)) throw error;
      if (signal?.aborted) break;
      if (error.kind !== "rejected") return { ...result(), failure: error };
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        queue.unshift(batch.slice(0, middle), batch.slice(middle));
        continue;
      }
      acceptsTexts ||= await isAccepting(embedder, signal);
      if (!acceptsTexts) return { ...result(), failure: new EmbedError("unavailable", error.message) };
      for (const { hash } of batch) refused.set(hash, error.message);
    }
  }
  return result();
}

/** Whether a provider accepts any text. If it refuses all of them, the request itself is wrong. */
async function isAccepting(embedder: Embedder, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await embedBatch(embedder, [{ hash: "", text: HARMLESS }], signal);
    return true;
  } catch (error) {
    if (error instanceof EmbedError) return false;
    throw error;
  }
}

/** The vector of a query, within a time limit. @throws EmbedError */
export async function embedQuery(embedder: Embedder, query: string, signal?: AbortSignal): Promise<Float32Array> {
  const [vector] = await within(QUERY_MS, (late) => embedder.embed([query], "query", anySignal(late, signal)));
  if (vector === undefined) throw new EmbedError("unavailable", "There is no vector of the query.");
  return vector;
}

/** Time limit of a query. */
const QUERY_MS = 4000;

async function embedBatch(
  embedder: Embedder,
  batch: readonly HashedText[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Float32Array>> {
  const texts = batch.map(({ text }) => text);
  const vectors = await within(BATCH_MS, (late) => embedder.embed(texts, "document", anySignal(late, signal)));
  return new Map(batch.flatMap(({ hash }, at) => (vectors[at] === undefined ? [] : [[hash, vectors[at]]])));
}

function anySignal(late: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? late : AbortSignal.any([late, signal]);
}
