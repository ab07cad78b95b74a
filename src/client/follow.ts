import { backoff } from "./backoff.ts";
import { ApiError } from "./http.ts";
import type { AgentEvent } from "./wire.ts";

/** A connection that lasted this long resets the backoff, even without events. */
const LASTING_MS = 10_000;

/**
 * Reads over one connection: yields "open" once it is established, then the events after a number, until it closes.
 * @throws ApiError when the connection fails, breaks, or is refused
 */
export type Source = (after: number, signal: AbortSignal) => AsyncGenerator<AgentEvent | "open", void>;

/** Where to start reading events, and until when. */
export interface Following {
  /** `seq` of the last event that the reader has; 0 for none. */
  after: number;
  signal: AbortSignal;
  /** Called when a connection opens, and when it is lost and will be tried again. */
  onLink?: (link: "open" | "lost") => void;
}

/**
 * Yields the events of a source in order, each once, over any number of connections: every new one asks for what comes
 * after the last event that was yielded. It goes on until the reader leaves the loop or `signal` aborts.
 * @throws ApiError when the server refuses and another try would be refused too
 */
export async function* follow(source: Source, how: Following): AsyncGenerator<AgentEvent, void> {
  const { signal, onLink } = how;
  const tries = backoff(signal);
  let after = how.after;
  while (!signal.aborted) {
    const openedAt = Date.now();
    try {
      for await (const item of source(after, signal)) {
        if (item === "open") {
          onLink?.("open");
        } else if (item.seq > after) {
          after = item.seq;
          tries.reset();
          yield item;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError) || !error.passing) throw error;
      onLink?.("lost");
    }
    if (Date.now() - openedAt > LASTING_MS) tries.reset();
    await tries.wait();
  }
}
