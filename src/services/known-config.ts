import { checkConfig, type Fault } from "../config/faults.ts";
import type { ConfigStore, StoredRevision } from "../config/store.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { type Config, wholeSchema } from "./config-schema.ts";

/** For how long an isolate does not ask again which revision is the newest. */
export const FRESH_MS = 5000;
/** The same where it knows nothing yet because D1 did not answer: until it does, nothing can begin. */
const RETRY_MS = 1000;
/** How long D1 may take to answer. */
const ANSWER_MS = 3000;
/** How many revisions are looked at for one that is still valid. */
const MAX_LOOKED_BACK = 20;

/** What is stored, as far as it matters. `newest` is the newest revision's number. */
export type Stored =
  | { kind: "none"; newest: 0 }
  /** In force is the newest revision that is valid; `faults` are those of the newest one where that is another. */
  | { kind: "valid"; newest: number; revision: number; config: Config; faults: readonly Fault[] }
  | { kind: "broken"; newest: number; faults: readonly Fault[] };

/**
 * What one isolate knows of the stored configuration. It asks D1 for the newest revision at most once in `FRESH_MS`, and
 * gets a document only where that is another one. Where D1 does not answer, what is known stays in force.
 */
export class KnownConfiguration {
  readonly #store: ConfigStore;
  #stored: Stored | undefined;
  #skillChanges = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  /** Questions are numbered: what answers an older one than was heard already comes too late. */
  #asked = 0;
  #heard = 0;

  constructor(store: ConfigStore) {
    this.#store = store;
  }

  /** What is stored; undefined where this could not be read yet. */
  get stored(): Stored | undefined {
    return this.#stored;
  }

  /** How often skills were changed from outside of a conversation, as far as this isolate knows. */
  get skillChanges(): number {
    return this.#skillChanges;
  }

  /**
   * Sees to it that this is known, and no older than `FRESH_MS`. Never rejects, and takes `ANSWER_MS` at most. Nobody waits
   * for the question of somebody else: its answer belongs to a request that may end before.
   * @param atLeast a revision that somebody else knows already
   */
  async know(now: number, atLeast = 0): Promise<void> {
    if (this.#isFresh(now) && (this.#stored === undefined || this.#stored.newest >= atLeast)) return;
    this.#askedAt = now;
    try {
      if (!(await comesWithin(ANSWER_MS, this.refresh()))) throw new Error(`no answer within ${ANSWER_MS} ms`);
    } catch (error) {
      this.#hasFailed = true;
      log("warn", "config.not_asked", { known: this.#stored?.newest, error: messageOf(error) });
    }
  }

  /** Asks now. @throws whatever D1 throws */
  async refresh(): Promise<void> {
    this.#asked += 1;
    const question = this.#asked;
    const known = this.#stored;
    const { revision, document, skillChanges } = await this.#store.newest(known?.newest ?? 0);
    if (question >= this.#heard) this.#skillChanges = skillChanges;
    if (revision === 0) this.#accept(question, { kind: "none", newest: 0 });
    else if (document !== undefined) this.#accept(question, await this.#judge(revision, document));
    else if (known !== undefined) this.#accept(question, known);
  }

  /** Takes note of a revision that was stored from here, unless a newer one was heard of meanwhile. */
  learn(revision: number, config: Config): void {
    if (this.#stored !== undefined && this.#stored.newest > revision) return;
    this.#asked += 1;
    this.#accept(this.#asked, { kind: "valid", newest: revision, revision, config, faults: [] });
  }

  /** Notes in D1 that skills were changed. @throws whatever D1 throws */
  async noteSkillChange(): Promise<void> {
    const count = await this.#store.noteSkillChange();
    this.#skillChanges = Math.max(this.#skillChanges, count);
  }

  #accept(question: number, stored: Stored): void {
    if (question < this.#heard) return;
    this.#heard = question;
    this.#stored = stored;
    this.#hasFailed = false;
  }

  #isFresh(now: number): boolean {
    const ageMs = now - this.#askedAt;
    if (this.#stored === undefined) return this.#hasFailed && ageMs >= 0 && ageMs < RETRY_MS;
    return ageMs >= 0 && ageMs < FRESH_MS;
  }

  /** A deploy may want more of a document than the one did that it was stored under: then an older one is in force. */
  async #judge(newest: number, document: unknown): Promise<Stored> {
    const checked = checkConfig(wholeSchema, document);
    if (checked.kind === "valid")
      return { kind: "valid", newest, revision: newest, config: checked.config, faults: [] };
    const { faults } = checked;
    const inForce = await this.#lookBack(newest);
    const fields = faults.map(({ path }) => path).join(", ");
    log("error", "config.invalid", { revision: newest, inForce: inForce?.revision ?? null, fields });
    return inForce === undefined ? { kind: "broken", newest, faults } : { kind: "valid", newest, ...inForce, faults };
  }

  async #lookBack(newest: number): Promise<{ revision: number; config: Config } | undefined> {
    let before: StoredRevision | undefined = await this.#store.before(newest);
    for (let looked = 0; before !== undefined && looked < MAX_LOOKED_BACK; looked++) {
      const { revision, document } = before;
      const checked = checkConfig(wholeSchema, document);
      if (checked.kind === "valid") return { revision, config: checked.config };
      before = await this.#store.before(revision);
    }
    return undefined;
  }
}
