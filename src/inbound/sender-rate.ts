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
   */
  count(sender: string, rate: SenderRate, now: number): { over: false } | { over: true; tell: boolean } {
    const [minute, day] = [Math.floor(now / MINUTE_MS), Math.floor(now / DAY_MS)];
    const last = this.#known.get(sender);
    const sent: Sent = {
      minute,
      inMinute: (last?.minute === minute ? last.inMinute : 0) + 1,
      day,
      inDay: (last?.day === day ? last.inDay : 0) + 1,
    };
    this.#known.delete(sender);
    this.#known.set(sender, sent);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_SENDERS && oldest !== undefined) this.#known.delete(oldest);
    const isOver = sent.inMinute > rate.messagesPerMinute || sent.inDay > rate.messagesPerDay;
    const tell = sent.inMinute === rate.messagesPerMinute + 1 || sent.inDay === rate.messagesPerDay + 1;
    return isOver ? { over: true, tell } : { over: false };
  }
}
