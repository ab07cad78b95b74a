import { createParser } from "eventsource-parser";
import type { Source } from "./follow.ts";
import { ApiError, openResponse, type Server, unreachable } from "./http.ts";
import { type AgentEvent, isAgentEvent } from "./wire.ts";

/** A connection without data for this long counts as lost; the server pings three times as often. */
const SILENCE_MS = 45_000;

/** A source of the server-sent events at `path`. */
export function eventSource(server: Server, path: string): Source {
  return (after, signal) => read(server, `${path}?after=${after}`, signal);
}

async function* read(server: Server, path: string, signal: AbortSignal): AsyncGenerator<AgentEvent | "open", void> {
  const silence = new AbortController();
  const giveUp = () => silence.abort();
  let timer = setTimeout(giveUp, SILENCE_MS);
  try {
    const response = await openResponse(server, { path, signal: AbortSignal.any([signal, silence.signal]) });
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
      // Closes the connection if the reader left early. On a broken stream `cancel` rejects: nothing is left to close.
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
