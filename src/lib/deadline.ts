/** An abort signal with a timer that can be cancelled. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Cancels the timer. May be called again. */
  done(): void;
}

/**
 * Starts a deadline of `ms` milliseconds. Unlike `AbortSignal.timeout`, its timer ends with the work: a pending timer
 * keeps a Durable Object in memory, and billed.
 */
export function deadline(ms: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("It took too long.", "TimeoutError")), ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}

/** Runs work with a signal that aborts after `ms` milliseconds. Settles as the work does. */
export async function within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { signal, done } = deadline(ms);
  try {
    return await work(signal);
  } finally {
    done();
  }
}

/** A stream under a deadline, which is cancelled when the stream ends or is cancelled. */
export function streamWithin<Chunk>(stream: ReadableStream<Chunk>, { done }: Deadline): ReadableStream<Chunk> {
  return stream.pipeThrough(new TransformStream<Chunk, Chunk>({ flush: done, cancel: done }));
}

/** Whether a promise resolves within `ms`; rejects if the promise does. */
export function comesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
