import { MAX_BUSY_MS, MAX_HELD_BYTES, MAX_NEW_ENTRIES, MAX_SERVED_BYTES, TURN_BYTES, TURN_CALLS } from "./limits.ts";

/** What one run takes in memory and time, and how often everybody else has a turn while it works. What is too much stops it. */
export class RunLimiter {
  readonly #stopped: (why: string) => void;
  readonly #now: () => number;
  #busyMs = 0;
  /** Since when it works; the clock of a Worker stands still until something is waited for. */
  #busySince: number;
  #held = 0;
  #entries = 0;
  #served = 0;
  #bytesSince = 0;
  #callsSince = 0;

  /** @param stopped told that the run may not go on, with the reason as a sentence */
  constructor(stopped: (why: string) => void, now: () => number) {
    this.#stopped = stopped;
    this.#now = now;
    this.#busySince = now();
  }

  /** The run may not go on. @param why a sentence */
  stop(why: string): void {
    this.#stopped(why);
  }

  /** Counts bytes that are held from now on, or fewer of them; false where they would be too much. */
  mayHold(bytes: number): boolean {
    if (bytes > 0 && this.#held + bytes > MAX_HELD_BYTES) {
      this.stop(`Its files took more than ${MAX_HELD_BYTES / 1024 / 1024} MB, read and written.`);
      return false;
    }
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Counts a file, folder or link that is made; false where there are too many. */
  mayCreate(): boolean {
    if (this.#entries >= MAX_NEW_ENTRIES) {
      this.stop(`It made more than ${MAX_NEW_ENTRIES} files and folders.`);
      return false;
    }
    this.#entries++;
    return true;
  }

  /** Waits for something else than the run's own work. */
  async idle<T>(waiting: () => Promise<T>): Promise<T> {
    this.#busyMs += this.#now() - this.#busySince;
    try {
      return await waiting();
    } finally {
      this.#busySince = this.#now();
    }
  }

  /** Counts a call with its bytes; now and then it waits for others, so that timers ring and requests are answered. */
  async serve(bytes: number): Promise<void> {
    this.#served += bytes;
    this.#bytesSince += bytes;
    this.#callsSince++;
    if (this.#served > MAX_SERVED_BYTES) {
      this.stop(`It read more than ${MAX_SERVED_BYTES / 1024 / 1024} MB, the same bytes counted each time.`);
    }
    if (this.#bytesSince < TURN_BYTES && this.#callsSince < TURN_CALLS) return;
    this.#bytesSince = 0;
    this.#callsSince = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
    const now = this.#now();
    this.#busyMs += now - this.#busySince;
    this.#busySince = now;
    if (this.#busyMs > MAX_BUSY_MS) this.stop(`It worked for more than ${MAX_BUSY_MS / 1000} s.`);
  }
}
