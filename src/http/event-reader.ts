import { createParser } from "eventsource-parser";
import type { AgentEvent } from "../agent/events.ts";

/**
 * What a session sends as server-sent events, until the stream ends or `signal` aborts; `ping` where it only says that
 * it is still there. @throws whatever breaks the stream
 */
export async function* eventsIn(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent | "ping", void> {
  const found: (AgentEvent | "ping")[] = [];
  const parser = createParser({
    onEvent: ({ data }) => found.push(JSON.parse(data)),
    onComment: () => found.push("ping"),
  });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const hangUp = () => void letGo(reader);
  signal.addEventListener("abort", hangUp, { once: true });
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* found.splice(0);
    }
  } finally {
    signal.removeEventListener("abort", hangUp);
    await letGo(reader);
  }
}

/** Tells the session that nobody reads any more. On a stream that broke there is nothing to cancel, and it says so. */
async function letGo(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  await reader.cancel().catch(() => undefined);
}
