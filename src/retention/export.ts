import type { Store } from "../session-store/store.ts";
import { readAll } from "../session-store/transcript.ts";
import { promptLines } from "./prompt-lines.ts";

/**
 * A transcript up to a number as JSON Lines: one message a line, oldest first, in the form of the history, and then,
 * where they are wanted, what models were sent besides. The reader pulls: what it has not asked for yet is not read yet.
 */
export function exportStream(store: Store, upTo: number, withPrompts: boolean): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pages = lines(store, upTo, withPrompts);
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      let page = pages.next();
      // Of a page nothing may be readable, or for people.
      while (!page.done && page.value.length === 0) page = pages.next();
      if (page.done) controller.close();
      else controller.enqueue(encoder.encode(page.value.map((line) => `${JSON.stringify(line)}\n`).join("")));
    },
  });
}

function* lines(store: Store, upTo: number, withPrompts: boolean): Generator<object[]> {
  yield* readAll(store, upTo);
  if (withPrompts) yield* promptLines(store);
}
