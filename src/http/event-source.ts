import { z } from "@hono/zod-openapi";

/** Where to go on reading events. */
export const eventCursor = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .openapi({ description: "Number of the last event that was seen; instead of the header Last-Event-ID." }),
});

/** The number in a `Last-Event-ID` header; 0, the beginning, where there is none. */
export function lastEventId(header: string | undefined): number {
  const seq = Number(header ?? 0);
  return Number.isSafeInteger(seq) && seq >= 0 ? seq : 0;
}

/** A response of server-sent events, which nobody between us and the reader may hold back. */
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
