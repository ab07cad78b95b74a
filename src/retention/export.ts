import { asc, gt, sql } from "drizzle-orm";
import { promptsIn } from "../session-store/run.ts";
import { prompts, runs } from "../session-store/schema.ts";
import type { Store } from "../session-store/store.ts";
import { readAll } from "../session-store/transcript.ts";

/**
 * A transcript up to a number as JSON Lines: one message a line, oldest first, in the form of the history, and then, if
 * asked for, the prompts. It is pulled: nothing is read before the reader asks for it.
 */
export function exportStream(store: Store, upTo: number, withPrompts: boolean): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pages = lines(store, upTo, withPrompts);
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      let page = pages.next();
      // A page may be empty, where its messages are unreadable or hidden.
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

/** Runs that are read at once; texts are read one by one. */
const BATCH = 200;

/**
 * The prompts as lines of an export: a line for each run that called a model, with the hashes of its texts, then each
 * text once. A text that is too large for a row has the id of its spill instead.
 */
export function* promptLines(store: Store): Generator<object[]> {
  yield* runLines(store);
  let after = "";
  for (;;) {
    const row = store.select().from(prompts).where(gt(prompts.hash, after)).orderBy(asc(prompts.hash)).limit(1).get();
    if (row === undefined) return;
    const { hash, text, spill, createdAt } = row;
    yield [{ kind: "prompt", hash, createdAt, ...(spill === null ? { text } : { spill }) }];
    after = hash;
  }
}

function* runLines(store: Store): Generator<object[]> {
  const rowid = sql<number>`rowid`;
  let after = 0;
  for (;;) {
    const page = store
      .select({ at: rowid, id: runs.id, state: runs.state })
      .from(runs)
      .where(gt(rowid, after))
      .orderBy(rowid)
      .limit(BATCH)
      .all();
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.flatMap(({ id, state }) => {
      const sent = state === undefined ? [] : promptsIn(state);
      return sent.length === 0 ? [] : [{ kind: "run", runId: id, prompts: sent }];
    });
    after = last.at;
  }
}
