import type { StreamingFetch } from "../security/streaming-fetch.ts";

/** How long what a stream brought last may take to be read, in milliseconds. */
const GRACE_MS = 500;

/**
 * Watches answers to POSTs that come as a stream of events: the SDK waits for its whole timeout where such a stream ends
 * without the answer. Those on which a server says what changes answer nothing. A stream whose events have ids can be taken up again, and is left to the SDK.
 * @param onEnd called when one has ended and its last events can have been read
 */
export function watchStreams(fetch: StreamingFetch, onEnd: () => void): StreamingFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
    if (init?.method !== "POST" || !isStream || response.body === null || isSubscription(init.body)) return response;
    const { status, statusText, headers } = response;
    return new Response(watched(response.body, onEnd), { status, statusText, headers });
  };
}

function isSubscription(body: unknown): boolean {
  return typeof body === "string" && body.includes('"method":"subscriptions/listen"');
}

function watched(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let isResumable = false;
  const ended = () => {
    if (!isResumable) setTimeout(onEnd, GRACE_MS);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          ended();
          controller.close();
          return;
        }
        isResumable ||= /(?:^|\n)id:/.test(decoder.decode(value, { stream: true }));
        controller.enqueue(value);
      } catch (error) {
        ended();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
