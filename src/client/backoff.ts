/** Pauses between tries: each twice as long as the one before, up to a limit, and never quite the same. */
export interface Backoff {
  /** Resolves after the next pause, or at once when the signal aborts. */
  wait(): Promise<void>;
  /** After a success: the next pause is the first one again. */
  reset(): void;
}

/** Starts counting tries; pauses are in milliseconds. */
export function backoff(signal: AbortSignal, firstMs = 400, maxMs = 10_000): Backoff {
  let tries = 0;
  return {
    wait: () => pause(Math.min(firstMs * 2 ** tries++, maxMs) * (0.75 + Math.random() / 2), signal),
    reset: () => {
      tries = 0;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
