import { tail } from "../lib/text.ts";
import type { Mask } from "../security/mask.ts";

/** Most characters of what is shown while a script runs: the end of what it has printed. */
export const MAX_LIVE_CHARS = 4_000;
/** After this many characters the beginning is dropped. */
const MAX_KEPT_CHARS = 16_000;

/** The shortest time between two reports, in milliseconds; it grows with the time that a script takes. */
const FIRST_PACE_MS = 250;
const PACE_SHARE = 50;

/** The end of what a script has printed so far, reported at a pace: the first words at once. */
export class LiveOutput {
  readonly #report: (text: string) => void;
  readonly #mask: Mask;
  readonly #now: () => number;
  readonly #startedAt: number;
  #kept = "";
  #reportedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param report called with at most `MAX_LIVE_CHARS` characters, masked */
  constructor(report: (text: string) => void, mask: Mask, now: () => number) {
    this.#report = report;
    this.#mask = mask;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Adds what was printed. */
  add(text: string): void {
    this.#kept += text;
    // Masked before it is cut: what is left of a secret could not be recognized.
    if (this.#kept.length > MAX_KEPT_CHARS) this.#kept = tail(this.#mask.mask(this.#kept), MAX_LIVE_CHARS);
    if (this.#timer !== undefined) return;
    const now = this.#now();
    const paceMs = Math.max(FIRST_PACE_MS, (now - this.#startedAt) / PACE_SHARE);
    const waitMs = this.#reportedAt + paceMs - now;
    if (waitMs <= 0) this.#show();
    else this.#timer = setTimeout(() => this.#show(), waitMs);
  }

  /** Ends all reports. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #show(): void {
    this.close();
    this.#reportedAt = this.#now();
    this.#report(tail(this.#mask.mask(this.#kept), MAX_LIVE_CHARS));
  }
}
