import { MAX_BUSY_MS, MAX_HELD_BYTES, MAX_NEW_ENTRIES, MAX_SERVED_BYTES, TURN_BYTES, TURN_CALLS } from "./limits.ts";

/** Counts the memory and CPU time of one run, stops the run at a limit, and yields to the event loop in between. */
export class RunLimiter {
  readonly #stopped: (why: string) => void;
  readonly #now: () => number;
  #busyMs = 0;
  /** When the current work began. The clock of a Worker advances only while it awaits. */
  #busySince: number;
  #held = 0;
  #entries = 0;
  #served = 0;
  #bytesSince = 0;
  #callsSince = 0;

  /** @param stopped called with the reason, a sentence, when the run must stop */
  constructor(stopped: (why: string) => void, now: () => number) {
    this.#stopped = stopped;
    this.#now = now;
    this.#busySince = now();
  }

  /** Stops the run. @param why a sentence */
  stop(why: string): void {
    this.#stopped(why);
  }

  /** Counts bytes that are held from now on; a negative number releases. False if they exceed the limit. */
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

  /** Counts a new file, folder or link. False if there are too many. */
  mayCreate(): boolean {
    if (this.#entries >= MAX_NEW_ENTRIES) {
      this.stop(`It made more than ${MAX_NEW_ENTRIES} files and folders.`);
      return false;
    }
    this.#entries++;
    return true;
  }

  /** Awaits a store or server. That time does not count as work. */
  async idle<T>(waiting: () => Promise<T>): Promise<T> {
    this.#busyMs += this.#now() - this.#busySince;
    try {
      return await waiting();
    } finally {
      this.#busySince = this.#now();
    }
  }

  /** Counts a call with its bytes, and regularly yields so that timers fire and other requests are served. */
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
