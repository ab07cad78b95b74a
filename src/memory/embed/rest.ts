import { type Embedder, EmbedError } from "./embedder.ts";

/** Who is left alone, by what they are asked and with which key: until when, and what they said. An isolate remembers it. */
export type EmbedderRests = Map<string, { until: number; error: EmbedError }>;

const SECOND = 1000;

/** How long a provider is left alone that did not say it: a key is put right by a person, an outage may be over soon. */
const REST_MS: Record<EmbedError["kind"], number> = {
  auth: 300 * SECOND,
  rate_limit: 30 * SECOND,
  timeout: 20 * SECOND,
  unavailable: 20 * SECOND,
  // It is the text, and the next one may do well.
  rejected: 0,
};

const LONGEST_REST_MS = 3600 * SECOND;

/**
 * An embedder that is left alone for a while after it failed: until then it fails at once with what it said, so that no
 * search waits for somebody who does not answer.
 * @param name tells apart what rests on its own, such as one server and key
 */
export function withRests(embedder: Embedder, name: string, rests: EmbedderRests, now: () => number): Embedder {
  return {
    ...embedder,
    embed: async (texts, purpose, signal) => {
      const rest = rests.get(name);
      const left = (rest?.until ?? 0) - now();
      if (rest !== undefined && left > 0) throw new EmbedError(rest.error.kind, rest.error.message, left);
      try {
        const vectors = await embedder.embed(texts, purpose, signal);
        rests.delete(name);
        return vectors;
      } catch (error) {
        if (error instanceof EmbedError && isFault(error, signal)) {
          const restMs = Math.min(error.retryAfterMs ?? REST_MS[error.kind], LONGEST_REST_MS);
          if (restMs > 0) rests.set(name, { until: now() + restMs, error });
        }
        throw error;
      }
    },
  };
}

/** Whether a provider is to blame, and not a caller who wants its answer no more. */
function isFault({ kind }: EmbedError, { reason }: AbortSignal): boolean {
  return kind !== "timeout" || reason === undefined || (reason instanceof Error && reason.name === "TimeoutError");
}
