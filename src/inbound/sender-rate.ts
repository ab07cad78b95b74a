const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Most senders in memory. */
const MAX_SENDERS = 5_000;

/** How many messages a person who is not an owner may send. */
export interface SenderRate {
  messagesPerMinute: number;
  messagesPerDay: number;
}

interface Sent {
  minute: number;
  inMinute: number;
  day: number;
  inDay: number;
  /** The messages that were counted in this minute and were not too many. */
  ids: Set<string>;
}

/**
 * The messages of people who are not owners, as this isolate has seen them. Every isolate counts for itself, so that no
 * message waits for a shared count: a sender whose messages reach several isolates may send more.
 */
export class SenderCounts {
  readonly #known = new Map<string, Sent>();

  /**
   * Counts a message. `over` says that it exceeds the rate, and whether the sender is to be told: once in each period.
   * @param sender `channel:account:id`
   * @param id of the message: one that its platform sends again counts once
   */
  count(sender: string, rate: SenderRate, now: number, id?: string): { over: false } | { over: true; tell: boolean } {
    const [minute, day] = [Math.floor(now / MINUTE_MS), Math.floor(now / DAY_MS)];
    const last = this.#known.get(sender);
    const ids = last?.minute === minute ? last.ids : new Set<string>();
    if (id !== undefined && ids.has(id)) return { over: false };
    const sent: Sent = {
      minute,
      inMinute: (last?.minute === minute ? last.inMinute : 0) + 1,
      day,
      inDay: (last?.day === day ? last.inDay : 0) + 1,
      ids,
    };
    this.#known.delete(sender);
    this.#known.set(sender, sent);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_SENDERS && oldest !== undefined) this.#known.delete(oldest);
    const isOver = sent.inMinute > rate.messagesPerMinute || sent.inDay > rate.messagesPerDay;
    const tell = sent.inMinute === rate.messagesPerMinute + 1 || sent.inDay === rate.messagesPerDay + 1;
    if (isOver) return { over: true, tell };
    if (id !== undefined) ids.add(id);
    return { over: false };
  }
}
