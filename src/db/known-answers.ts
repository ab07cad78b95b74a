import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";

/** How long an answer of D1 serves, in milliseconds: what was revoked holds in every isolate at the latest then. */
const SERVES_MS = 60_000;
/** The age from which an answer is asked for again in the background. */
const FRESH_MS = 10_000;
/** Most answers in memory. */
const MAX_KNOWN = 1000;

/**
 * Answers that one isolate has got from D1, by key, so that a request does not wait for them again. That there is no
 * answer is not kept: who was just admitted is let in at once, and who is unknown cannot fill the memory.
 */
export class KnownAnswers<Answer> {
  readonly #ask: (database: D1Database, key: string) => Promise<Answer | undefined>;
  readonly #known = new WeakMap<D1Database, Map<string, { answer: Answer; at: number }>>();

  #drops = 0;

  /** @param ask reads the answer; undefined if there is none */
  constructor(ask: (database: D1Database, key: string) => Promise<Answer | undefined>) {
    this.#ask = ask;
  }

  /**
   * The answer for a key; undefined if there is none.
   * @param now milliseconds since the epoch
   * @param waitUntil keeps the caller alive while an answer is asked for again; without it the caller waits
   * @throws the error of D1, where no answer of the last minute is known
   */
  async get(
    database: D1Database,
    key: string,
    now: number,
    waitUntil?: (promise: Promise<unknown>) => void,
  ): Promise<Answer | undefined> {
    const last = this.#answers(database).get(key);
    const ageMs = last === undefined ? Number.POSITIVE_INFINITY : now - last.at;
    if (last === undefined || ageMs < 0 || ageMs >= SERVES_MS) return this.#refresh(database, key, now);
    if (ageMs >= FRESH_MS) {
      if (waitUntil === undefined) return this.#refresh(database, key, now);
      waitUntil(
        this.#refresh(database, key, now).catch((error: unknown) => {
          log("warn", "d1.not_asked_again", { error: messageOf(error) });
        }),
      );
    }
    return last.answer;
  }

  /** Drops an answer that this isolate has changed. */
  drop(database: D1Database, key: string): void {
    this.#drops++;
    this.#answers(database).delete(key);
  }

  async #refresh(database: D1Database, key: string, now: number): Promise<Answer | undefined> {
    const drops = this.#drops;
    const answer = await this.#ask(database, key);
    const answers = this.#answers(database);
    answers.delete(key);
    // What was read before a change is not kept.
    if (answer === undefined || drops !== this.#drops) return answer;
    answers.set(key, { answer, at: now });
    const [oldest] = answers.keys();
    if (answers.size > MAX_KNOWN && oldest !== undefined) answers.delete(oldest);
    return answer;
  }

  #answers(database: D1Database): Map<string, { answer: Answer; at: number }> {
    const answers = this.#known.get(database) ?? new Map<string, { answer: Answer; at: number }>();
    this.#known.set(database, answers);
    return answers;
  }
}
