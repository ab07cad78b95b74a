import { z } from "@hono/zod-openapi";
import { createParser } from "eventsource-parser";
import type { AgentEvent } from "../agent/events.ts";
import { IsopodError } from "../lib/errors.ts";
import { wholeNumber } from "./query-schema.ts";

/** The query of an event route. */
export const eventCursor = z.strictObject({
  after: wholeNumber({ min: 0 })
    .optional()
    .openapi({ description: "Number of the last event received; instead of the header Last-Event-ID." }),
});

/**
 * The number in a `Last-Event-ID` header; 0, the beginning, where there is none.
 * @throws IsopodError `invalid_request` where it is no number: starting from 0 would repeat all events
 */
export function lastEventId(header: string | undefined): number {
  if (header === undefined) return 0;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new IsopodError(
    "invalid_request",
    "Last-Event-ID: it is the number of no event",
    "Send the last `id` that came.",
  );
}

/** A response of server-sent events, with the headers that keep proxies from buffering it. */
export function sse(stream: ReadableStream<Uint8Array>, status = 200): Response {
  return new Response(stream, {
    status,
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
    },
  });
}

/**
 * Parses a session's stream of server-sent events until it ends or `signal` aborts; `ping` is a keep-alive comment.
 * @throws whatever breaks the stream
 */
export async function* readEvents(
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
  const onAbort = () => void cancelReader(reader);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* found.splice(0);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await cancelReader(reader);
  }
}

/** Cancels the session's stream. A broken stream rejects the cancellation; it has ended already. */
async function cancelReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  await reader.cancel().catch(() => undefined);
}
