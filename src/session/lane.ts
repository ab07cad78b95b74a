import { DurableObject } from "cloudflare:workers";
import {
  ask,
  type Holder,
  handOut,
  isHolder,
  type LaneState,
  leave,
  nextExpiry,
  POLL_MS,
  renew,
} from "./lane-state.ts";

const HOLDERS = "holders";

/**
 * Hands out the slots of one lane, where the configuration caps it: at most so many runs at once, first come, first
 * served. Who holds one is stored, so that the cap holds over a restart; who waits asks again anyway. The object has no
 * alarm: it only has something to do while somebody waits, and then it is awake.
 */
export class Lane extends DurableObject<Env> {
  #state: LaneState;
  /** The cap that was asked with last; it may change with the configuration. */
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

  /** A holder is still at work. Gives false where its slot was taken for dead and is somebody else's. */
  renew(runId: string): boolean {
    this.#become(renew(this.#state, runId, Date.now()));
    return isHolder(this.#state, runId);
  }

  /** A run needs no slot any more. May be repeated. */
  release(runId: string): void {
    this.#told.get(runId)?.(false);
    this.#become(leave(this.#state, runId));
  }

  /** Hands out what is free, stores who holds a slot where that has changed, and tells those that have waited. */
  #become(next: LaneState): void {
    const before = this.#state.holders;
    this.#state = handOut(next, this.#cap, Date.now());
    const { holders } = this.#state;
    const isSame = holders.length === before.length && holders.every((holder, i) => holder === before[i]);
    if (!isSame) this.ctx.storage.kv.put(HOLDERS, [...holders]);
    for (const { runId } of holders) this.#told.get(runId)?.(true);
  }
}
