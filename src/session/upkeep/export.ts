import type { Store } from "../store/store.ts";
import { readAll } from "../transcript/transcript.ts";

/**
 * A transcript up to a number as JSON Lines: one message a line, oldest first, in the form of the history. The reader
 * pulls: what it has not asked for yet is not read yet.
 */
export function exportStream(store: Store, upTo: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pages = readAll(store, upTo);
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      let page = pages.next();
      // Of a page nothing may be readable, or for people.
      while (!page.done && page.value.length === 0) page = pages.next();
      if (page.done) controller.close();
      else controller.enqueue(encoder.encode(page.value.map((message) => `${JSON.stringify(message)}\n`).join("")));
    },
  });
}
