import { z } from "@hono/zod-openapi";
import { IsopodError } from "../lib/errors.ts";
import { wholeNumber } from "./whole-number.ts";

/** Where to go on reading events. */
export const eventCursor = z.strictObject({
  after: wholeNumber({ min: 0 })
    .optional()
    .openapi({ description: "Number of the last event that was seen; instead of the header Last-Event-ID." }),
});

/**
 * The number in a `Last-Event-ID` header; 0, the beginning, where there is none.
 * @throws IsopodError `invalid_request` where it is no number: to begin anew would tell everything twice
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
