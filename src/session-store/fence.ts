import type { EventLog } from "./event-log.ts";
import { session } from "./schema.ts";
import { invalidateReads, prepared, type Store } from "./store.ts";

const epochOf = prepared((store) => store.select({ epoch: session.epoch }).from(session).prepare());

/** Another incarnation of the object has taken over: this one must stop and write nothing. */
export class Superseded extends Error {
  constructor() {
    super("Another incarnation of this session has taken over.");
    this.name = "Superseded";
  }
}

/**
 * Lets one incarnation write. The first write claims the session with a new epoch, in the same commit; each later one
 * checks that the epoch is still its own. One `write` is one transaction.
 */
export class Fence {
  readonly #storage: DurableObjectStorage;
  readonly #store: Store;
  readonly #log: EventLog;
  #epoch: number | undefined;

  constructor(storage: DurableObjectStorage, store: Store, log: EventLog) {
    this.#storage = storage;
    this.#store = store;
    this.#log = log;
  }

  /** @throws Superseded with nothing written */
  write<Result>(work: () => Result): Result {
    const epoch = this.#epoch;
    try {
      return this.#storage.transactionSync(() => {
        const stored = epochOf(this.#store).get()?.epoch;
        if (this.#epoch === undefined) this.#epoch = this.#claim(stored);
        else if (stored !== this.#epoch) throw new Superseded();
        return work();
      });
    } catch (error) {
      invalidateReads(this.#store);
      // The claim and the reservation of this commit were rolled back.
      this.#epoch = epoch;
      this.#log.rolledBack();
      throw error;
    }
  }

  /** One transaction on behalf of a session that is not in use in this object yet, so that nobody writes it. */
  writeUnclaimed<Result>(work: () => Result): Result {
    try {
      return this.#storage.transactionSync(work);
    } finally {
      this.release();
    }
  }

  /** The session was deleted: the next write claims the object again. */
  release(): void {
    invalidateReads(this.#store);
    this.#epoch = undefined;
  }

  #claim(stored: number | undefined): number {
    if (stored === undefined) return 1;
    const claim = { epoch: stored + 1, reservedSeq: this.#log.reserve() };
    this.#store.update(session).set(claim).run();
    return stored + 1;
  }
}
