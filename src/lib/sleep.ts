/** Resolves after `ms` milliseconds, or at once when the signal aborts; it never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/** Sleeps for half to one and a half times `ms`, so that callers that failed together do not all return at once. */
export function sleepAbout(ms: number): Promise<void> {
  return sleep(ms * (0.5 + Math.random()));
}
