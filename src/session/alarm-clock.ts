import { type Due, LONGEST_RECOVERY_MS, nextAlarm } from "./due.ts";

/** The object's one alarm, set to what is due first. */
export class AlarmClock {
  readonly #ctx: DurableObjectState;
  /** When it rings as far as this incarnation knows. */
  #at: number | undefined;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** It has rung. */
  clear(): void {
    this.#at = undefined;
  }

  /**
   * Sets it, as part of the current commit. One that rings too early is left alone: it finds nothing and is cheap. But
   * one that is far off would wake a session for nothing that has left memory by then.
   */
  set(due: Due, now: number): void {
    const at = nextAlarm(due);
    if (at === undefined) {
      if (this.#at !== undefined && this.#at > now + LONGEST_RECOVERY_MS) this.#cancel();
      return;
    }
    if (this.#at !== undefined && this.#at <= at) return;
    this.#at = at;
    this.#ctx.waitUntil(this.#ctx.storage.setAlarm(at));
  }

  #cancel(): void {
    this.#at = undefined;
    this.#ctx.waitUntil(this.#ctx.storage.deleteAlarm());
  }
}
