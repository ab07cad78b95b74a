import { DurableObject } from "cloudflare:workers";
import {
  admit,
  ask,
  type Holder,
  handOut,
  hold,
  isHolder,
  type LaneState,
  leave,
  nextExpiry,
  POLL_MS,
  renew,
} from "./lane-state.ts";

const HOLDERS = "holders";

/**
 * Grants the slots of one lane whose concurrency the configuration caps, first come, first served. Holders are stored,
 * so that the cap also applies after a restart; waiters poll again anyway. The object needs no alarm, because it only
 * has work while a call waits, which keeps it in memory.
 */
export class Lane extends DurableObject<Env> {
  #state: LaneState;
  /** The cap of the last call; it may change with the configuration. */
  #cap = 0;
  readonly #told = new Map<string, (granted: boolean) => void>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = { holders: ctx.storage.kv.get<Holder[]>(HOLDERS) ?? [], waiters: [] };
  }

  /**
   * Waits for a slot, for at most `POLL_MS`. May be repeated: a run has one place and at most one slot.
   * @returns whether the run has a slot now
   */
  async acquire(runId: string, cap: number): Promise<boolean> {
    this.#cap = cap;
    this.#become(ask(this.#state, runId, Date.now()));
    if (isHolder(this.#state, runId)) return true;
    return new Promise((resolve) => {
      const expiry = nextExpiry(this.#state) ?? Number.POSITIVE_INFINITY;
      const wake = setTimeout(() => this.#become(this.#state), Math.max(0, expiry - Date.now() + 1));
      const end = setTimeout(() => tell(false), POLL_MS);
      const tell = (granted: boolean) => {
        clearTimeout(wake);
        clearTimeout(end);
        this.#told.delete(runId);
        resolve(granted);
      };
      this.#told.get(runId)?.(false);
      this.#told.set(runId, tell);
    });
  }

  /** Grants as many of these runs a slot as are free, at once. May be repeated. @returns those that have one now */
  admit(runIds: readonly string[], cap: number): string[] {
    this.#cap = cap;
    this.#become(runIds.reduce((state, runId) => admit(state, runId, cap, Date.now()), this.#state));
    return runIds.filter((runId) => isHolder(this.#state, runId));
  }

  /** Keeps the slot of a run that has started, also one whose lease has expired. May be repeated. */
  keep(runId: string): void {
    this.#become(hold(this.#state, runId, Date.now()));
  }

  /** Renews a lease. False if it had expired and the slot was granted to another run. */
  renew(runId: string): boolean {
    this.#become(renew(this.#state, runId, Date.now()));
    return isHolder(this.#state, runId);
  }

  /** Releases a run's slot or its place in the queue. May be repeated. */
  release(runId: string): void {
    this.#told.get(runId)?.(false);
    this.#become(leave(this.#state, runId));
  }

  /** Grants free slots, stores the holders if they have changed, and resolves the calls of granted runs. */
  #become(next: LaneState): void {
    const before = this.#state.holders;
    this.#state = handOut(next, this.#cap, Date.now());
    const { holders } = this.#state;
    const isSame = holders.length === before.length && holders.every((holder, i) => holder === before[i]);
    if (!isSame) this.ctx.storage.kv.put(HOLDERS, [...holders]);
    for (const { runId } of holders) this.#told.get(runId)?.(true);
  }
}
