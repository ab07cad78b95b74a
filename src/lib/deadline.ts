/** A signal that fires after a while, unless it is called off. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The work is done. May be called again. */
  done(): void;
}

/**
 * Starts a deadline of `ms` milliseconds. Unlike the timer of `AbortSignal.timeout` its timer goes with the work: one that
 * is left behind keeps a Durable Object in memory, and billed, until it rings.
 */
export function deadline(ms: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("It took too long.", "TimeoutError")), ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}

/** Work that is told to stop after `ms` milliseconds. Settles as the work does. */
export async function within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { signal, done } = deadline(ms);
  try {
    return await work(signal);
  } finally {
    done();
  }
}

/** A stream under a deadline, which is done when the stream is over or nobody wants more of it. */
export function streamWithin<Chunk>(stream: ReadableStream<Chunk>, { done }: Deadline): ReadableStream<Chunk> {
  return stream.pipeThrough(new TransformStream<Chunk, Chunk>({ flush: done, cancel: done }));
}

/** Whether a promise resolves in time. Rejects as it does. */
export function comesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
