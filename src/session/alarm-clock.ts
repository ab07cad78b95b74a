import { type Due, nextAlarm } from "./due.ts";

/** The object's one alarm, set to what is due first. */
export class AlarmClock {
  readonly #ctx: DurableObjectState;
  /** When it rings as far as this incarnation knows. */
  #at: number | undefined;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** It has rung. */
  rang(): void {
    this.#at = undefined;
  }

  /** Sets it, as part of the current commit. One that rings too early is left alone: it finds nothing and is cheap. */
  set(due: Due): void {
    const at = nextAlarm(due);
    if (at === undefined || (this.#at !== undefined && this.#at <= at)) return;
    this.#at = at;
    this.#ctx.waitUntil(this.#ctx.storage.setAlarm(at));
  }
}
