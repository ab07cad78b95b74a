import type { Target } from "../channels/channel.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import { readVisitorView, type VisitorView, type VisitorWait } from "../session-store/visitor-view.ts";
import type { Lifecycle } from "./wakeups.ts";

/** Most requests of visitors that wait in one session; one more is answered at once. */
const MAX_WAITING = 20;

/** Dependencies of `Visitors`. */
export interface VisitorsDeps {
  store: Store;
  session(): SessionRow;
  lifecycle(): Lifecycle;
  now(): number;
}

/** Shows visitors what was said to them. */
export class Visitors {
  readonly #deps: VisitorsDeps;
  readonly #waiting = new Set<() => void>();

  constructor(deps: VisitorsDeps) {
    this.#deps = deps;
  }

  /** What a visitor is shown, as soon as it is not what is known, or the time is over; undefined without a session. */
  async view(visitor: Target, { since, waitMs }: VisitorWait): Promise<VisitorView | undefined> {
    const { store, session, lifecycle, now } = this.#deps;
    const until = now() + waitMs;
    while (lifecycle() === "active") {
      const view = readVisitorView(store, session(), visitor);
      const leftMs = until - now();
      if (view.version !== since || leftMs <= 0 || this.#waiting.size >= MAX_WAITING) return view;
      await this.#change(leftMs);
    }
    return undefined;
  }

  /** Something that visitors are shown may have changed. */
  changed(): void {
    for (const done of this.#waiting) done();
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }
}
