import type { AgentEvent } from "../agent/events.ts";
import type { ReadRequest, StoredPage } from "./stored-events.ts";

const KEPT = 16;

/** The newest of the stored events, kept at hand: who follows a session as it goes reads nothing from storage. */
export class RecentEvents {
  #events: AgentEvent[] = [];
  /** Whatever is stored after this number is at hand. */
  #after: number;

  constructor(lastSeq: number) {
    this.#after = lastSeq;
  }

  /** Takes the next events that are stored. */
  add(events: readonly AgentEvent[]): void {
    this.#events.push(...events);
    const gone = this.#events.splice(0, this.#events.length - KEPT).at(-1);
    if (gone !== undefined) this.#after = gone.seq;
  }

  /** What `readStoredEvents` gives; undefined where that goes further back than what is at hand. */
  read({ after, run, limit }: ReadRequest): StoredPage | undefined {
    if (Math.max(after, (run?.firstSeq ?? 0) - 1) < this.#after) return undefined;
    const found = this.#events.filter(({ seq, runId }) => seq > after && (run === undefined || runId === run.runId));
    const events = found.slice(0, limit);
    return { events, upTo: found.length > limit ? (events.at(-1)?.seq ?? after) : Number.POSITIVE_INFINITY };
  }

  /** Lets go of everything up to a number, the newest that there is. */
  clear(lastSeq: number): void {
    this.#events = [];
    this.#after = lastSeq;
  }
}
