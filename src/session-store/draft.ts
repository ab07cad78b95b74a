import { eq } from "drizzle-orm";
import type { Target } from "../channels/channel.ts";
import { newId } from "../lib/ids.ts";
import type { Part } from "./outbox.ts";
import { outbox } from "./schema.ts";
import type { Store } from "./store.ts";

/** Numbers between two texts in the outbox, for the parts that a draft becomes: most that it may become. */
export const GAP = 10_000;
/** No text that anybody writes begins with it, nor any channel's markup. */
const MARK = "\u0000draft\n";

/**
 * A text in the outbox that plugins have yet to look at: whole and as Markdown, because they may take their time, while
 * it has to be stored in the same commit as what it tells of.
 */
export function draftOf(markdown: string): string {
  return `${MARK}${markdown}`;
}

/** The Markdown of a draft; undefined for a text that is ready to be sent. */
export function markdownIn(text: string): string | undefined {
  return text.startsWith(MARK) ? text.slice(MARK.length) : undefined;
}

/** What making a draft ready needs of the world. */
export interface DraftPorts {
  store: Store;
  write<Result>(work: () => Result): Result;
  /** What a draft is to be sent as: its parts, or why it is not sent. */
  ready(markdown: string, target: Target, runId: string): Promise<readonly Part[] | { refusal: string }>;
  now(): number;
}

/** Puts what a draft is to be sent as in its place. After a crash before that is stored it is looked at again. */
export async function makeReady(
  row: Pick<typeof outbox.$inferSelect, "id" | "runId" | "dueAt"> & { target: Target },
  draft: string,
  ports: DraftPorts,
): Promise<void> {
  const { store, write, now } = ports;
  const { id, runId, target, dueAt } = row;
  const ready = await ports.ready(draft, target, runId);
  const [first, ...others] = "refusal" in ready ? [] : ready.slice(0, GAP);
  const reason = "refusal" in ready ? ready.refusal : "Nothing was left of it.";
  const refused = { status: "failed", detail: { outcome: "failed", reason } } as const;
  write(() => {
    const change = first === undefined ? refused : { text: first.text };
    store.update(outbox).set(change).where(eq(outbox.id, id)).run();
    for (const [n, { text, target: place }] of others.entries()) {
      const part = { id: id + n + 1, deliveryId: newId("dlv", now()), runId, target: place, text };
      const pending = { status: "pending", attempts: 0, dueAt, detail: null, source: null } as const;
      store
        .insert(outbox)
        .values({ ...part, ...pending })
        .run();
    }
  });
}
