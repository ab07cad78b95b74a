import { type Embedder, EmbedError } from "./embedder.ts";

/** Embedders that failed, by space and key, with their error. Keep one map for the life of the isolate. */
export type EmbedderCooldowns = Map<string, { until: number; error: EmbedError }>;

const SECOND = 1000;

/** The cooldown of a provider that names none: a person has to fix a key, an outage may end soon. */
const COOLDOWN_MS: Record<EmbedError["kind"], number> = {
  auth: 300 * SECOND,
  rate_limit: 30 * SECOND,
  timeout: 20 * SECOND,
  unavailable: 20 * SECOND,
  // The next text may be accepted.
  rejected: 0,
};

const MAX_COOLDOWN_MS = 3600 * SECOND;

/**
 * An embedder that is not called for a while after a failure. Until then it fails at once with the same error, so that
 * no search waits for it.
 * @param name embedders with the same name, such as one server and key, share a cooldown
 */
export function withCooldown(
  embedder: Embedder,
  name: string,
  cooldowns: EmbedderCooldowns,
  now: () => number,
): Embedder {
  return {
    ...embedder,
    embed: async (texts, purpose, signal) => {
      const cooldown = cooldowns.get(name);
      const left = (cooldown?.until ?? 0) - now();
      if (cooldown !== undefined && left > 0) throw new EmbedError(cooldown.error.kind, cooldown.error.message, left);
      try {
        const vectors = await embedder.embed(texts, purpose, signal);
        cooldowns.delete(name);
        return vectors;
      } catch (error) {
        if (error instanceof EmbedError && isProviderFailure(error, signal)) {
          const cooldownMs = Math.min(error.retryAfterMs ?? COOLDOWN_MS[error.kind], MAX_COOLDOWN_MS);
          if (cooldownMs > 0) cooldowns.set(name, { until: now() + cooldownMs, error });
        }
        throw error;
      }
    },
  };
}

/** Whether the provider failed; false if the caller aborted. */
function isProviderFailure({ kind }: EmbedError, { reason }: AbortSignal): boolean {
  return kind !== "timeout" || reason === undefined || (reason instanceof Error && reason.name === "TimeoutError");
}
