import { createParser } from "eventsource-parser";
import type { AgentEvent } from "../agent/events.ts";
import { backoff } from "./backoff.ts";
import { ApiError, open, type Server, unreachable } from "./http.ts";
import { isAgentEvent } from "./wire.ts";

/** A connection that says nothing for so long counts as lost; the server pings three times as often. */
const SILENCE_MS = 45_000;
/** A connection that lived so long was a good one, even where nothing happened on it. */
const LASTING_MS = 10_000;

/** How to read a stream of events. */
export interface Following {
  /** `seq` of the last event that the reader has; 0 for none. */
  after: number;
  signal: AbortSignal;
  /** Told when a connection is open, and when it is lost and will be tried again. */
  onLink?: (link: "open" | "lost") => void;
}

/**
 * Yields the events of `path` in order, each once, over any number of connections: every new one asks for what comes
 * after the last event that was yielded. It goes on until the reader leaves the loop or `signal` aborts.
 * @throws ApiError when the server refuses in a way that another try does not change
 */
export async function* follow(server: Server, path: string, how: Following): AsyncGenerator<AgentEvent, void> {
  const { signal, onLink } = how;
  const tries = backoff(signal);
  let after = how.after;
  while (!signal.aborted) {
    const openedAt = Date.now();
    try {
      for await (const item of readOnce(server, `${path}?after=${after}`, signal)) {
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

async function* readOnce(server: Server, path: string, signal: AbortSignal): AsyncGenerator<AgentEvent | "open", void> {
  const silence = new AbortController();
  const giveUp = () => silence.abort();
  let timer = setTimeout(giveUp, SILENCE_MS);
  try {
    const response = await open(server, { path, signal: AbortSignal.any([signal, silence.signal]) });
    yield "open";
    if (!response.body) return;
    const found: AgentEvent[] = [];
    const parser = createParser({ onEvent: ({ data }) => found.push(parseEvent(data)) });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await readChunk(reader);
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENCE_MS);
        parser.feed(decoder.decode(value, { stream: true }));
        yield* found.splice(0);
      }
    } finally {
      // Hangs up where the reader left early. On a stream that broke there is nothing to cancel, and it says so.
      await reader.cancel().catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readChunk(reader: Reader): Promise<Awaited<ReturnType<Reader["read"]>>> {
  try {
    return await reader.read();
  } catch (error) {
    throw unreachable(error);
  }
}

function parseEvent(data: string): AgentEvent {
  const value: unknown = JSON.parse(data);
  if (!isAgentEvent(value)) throw new ApiError(200, "bad_answer", "The server sent an event in an unknown shape.");
  return value;
}
