/** Pauses between tries: each twice as long as the last, up to a limit, with jitter. */
export interface Backoff {
  /** Resolves after the next pause, or at once when the signal aborts. */
  wait(): Promise<void>;
  /** Call it after a success: the next pause is the shortest again. */
  reset(): void;
}

/** Exponential backoff; pauses are in milliseconds. */
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
