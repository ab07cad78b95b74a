import { type Due, LONGEST_RECOVERY_MS, nextAlarm } from "./due.ts";

/** The object's single alarm, set to the earliest due time. */
export class AlarmClock {
  readonly #ctx: DurableObjectState;
  /** The time of the alarm, as far as this incarnation has set it. */
  #at: number | undefined;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Records that no alarm is set any more. */
  clear(): void {
    this.#at = undefined;
  }

  /**
   * Sets the alarm within the current commit. An alarm that is too early stays: it finds nothing to do and is cheap. An
   * alarm that is far off and no longer needed is cancelled, because it would load the session for nothing.
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
