import { checkConfig, type Fault } from "../config/faults.ts";
import type { BrowserZone, ConfigStore, SessionMove, StoredRevision } from "../config/store.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { isZone } from "../lib/zone.ts";
import { type Config, wholeSchema } from "./config-schema.ts";
import { knownPlaces } from "./session-places.ts";

/** How long an isolate uses its configuration before it asks D1 for the newest revision. */
export const FRESH_MS = 5000;
/** How long nothing waits for the answer: an older configuration is used only once D1 has said that it is the newest. */
export const USABLE_MS = 60_000;
/** The same after a failed first read: nothing can start before one succeeds. */
const RETRY_MS = 1000;
/** Timeout of D1. */
const ANSWER_MS = 3000;
/** Most older revisions that are searched for a valid one. */
const MAX_LOOKED_BACK = 20;

/** The stored configuration. `newest` is the newest revision's number. */
export type Stored =
  | { kind: "none"; newest: 0 }
  /** The newest valid revision is in force; `faults` are those of the newest one if that is not valid. */
  | { kind: "valid"; newest: number; revision: number; config: Config; faults: readonly Fault[] }
  | { kind: "broken"; newest: number; faults: readonly Fault[] };

/** How a configuration is refreshed. */
export interface KnowOptions {
  /** Keeps the caller alive for an answer that it need not wait for; without it the caller waits. */
  waitUntil?: (promise: Promise<unknown>) => void;
  /** The age up to which it need not wait, in milliseconds; `USABLE_MS` if absent. */
  usableMs?: number | undefined;
  /** A revision that the caller has seen. */
  atLeast?: number | undefined;
}

/**
 * The stored configuration as one isolate has read it. It asks D1 for the newest revision at most once in `FRESH_MS`,
 * in the background for up to `USABLE_MS`, and reads the document only if the revision is new. If D1 fails, the last one
 * stays in force.
 */
export class KnownConfiguration {
  readonly #store: ConfigStore;
  #stored: Stored | undefined;
  #skillChanges = 0;
  #moveRevision = 0;
  readonly #zones = new Map<string, string>();
  #zonesAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  /** Reads are numbered: the result of an older read than the last accepted one is dropped. */
  #asked = 0;
  #heard = 0;

  constructor(store: ConfigStore) {
    this.#store = store;
  }

  /** The stored configuration; undefined if it was not read yet. */
  get stored(): Stored | undefined {
    return this.#stored;
  }

  /** A counter of skill changes made outside of conversations, as last read. */
  get skillChanges(): number {
    return this.#skillChanges;
  }

  /**
   * Refreshes the configuration if it is older than `FRESH_MS`, and resolves when it may be used. Never rejects, and
   * takes at most `ANSWER_MS`. Concurrent callers do not share a read, because its promise belongs to a request that may
   * end earlier.
   */
  async know(now: number, { waitUntil, usableMs = USABLE_MS, atLeast = 0 }: KnowOptions = {}): Promise<void> {
    const isBehind = this.#stored !== undefined && this.#stored.newest < atLeast;
    const ageMs = now - this.#answeredAt;
    const isUsable = this.#stored !== undefined && !isBehind && ageMs >= 0 && ageMs < usableMs;
    // Somebody else may have asked just now and not wait for the answer.
    if (this.#isFresh(now) && (isUsable || (this.#hasFailed && !isBehind))) return;
    this.#askedAt = now;
    const asking = this.#ask(now);
    if (!isUsable || waitUntil === undefined) return asking;
    waitUntil(asking);
  }

  async #ask(now: number): Promise<void> {
    try {
      if (!(await comesWithin(ANSWER_MS, this.refresh()))) throw new Error(`no answer within ${ANSWER_MS} ms`);
      this.#answeredAt = now;
    } catch (error) {
      this.#hasFailed = true;
      log("warn", "config.not_asked", { known: this.#stored?.newest, error: messageOf(error) });
    }
  }

  /** Reads D1 now. @throws the error of D1 */
  async refresh(): Promise<void> {
    this.#asked += 1;
    const question = this.#asked;
    const known = this.#stored;
    const { revision, document, skillChanges, moves, zones } = await this.#store.newest({
      revision: known?.newest ?? 0,
      move: this.#moveRevision,
      zonesAt: this.#zonesAt,
    });
    if (question >= this.#heard) this.#skillChanges = skillChanges;
    this.#learn(moves);
    for (const told of zones) this.#learnZone(told);
    if (revision === 0) this.#accept(question, { kind: "none", newest: 0 });
    else if (document !== undefined) this.#accept(question, await this.#judge(revision, document));
    else if (known !== undefined) this.#accept(question, known);
  }

  /** Records a revision that this isolate has stored, unless a newer one was read meanwhile. */
  learn(revision: number, config: Config): void {
    if (this.#stored !== undefined && this.#stored.newest > revision) return;
    this.#asked += 1;
    this.#accept(this.#asked, { kind: "valid", newest: revision, revision, config, faults: [] });
  }

  /** The zone that an owner's browser told for an agent, as last read. */
  browserZone(agentId: string): string | undefined {
    return this.#zones.get(agentId);
  }

  /** Stores the zone of an owner's browser if it is new. @throws the error of D1 */
  async tellZone(told: BrowserZone): Promise<void> {
    if (this.#zones.get(told.agentId) === told.zone) return;
    await this.#store.tellZone(told);
    this.#zones.set(told.agentId, told.zone);
  }

  /** Records in D1 that skills have changed. @throws the error of D1 */
  async noteSkillChange(): Promise<void> {
    const count = await this.#store.noteSkillChange();
    this.#skillChanges = Math.max(this.#skillChanges, count);
  }

  #learn(moves: readonly SessionMove[]): void {
    for (const { object, movedTo, revision } of moves) {
      knownPlaces.learn(object, movedTo);
      this.#moveRevision = Math.max(this.#moveRevision, revision);
    }
  }

  #learnZone({ agentId, zone, toldAt }: BrowserZone): void {
    if (isZone(zone)) this.#zones.set(agentId, zone);
    this.#zonesAt = Math.max(this.#zonesAt, toldAt);
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

  /** A new deployment may require more than the document satisfies: then an older revision is in force. */
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
