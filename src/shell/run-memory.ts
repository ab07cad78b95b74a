import { MAX_HELD_BYTES, MAX_NEW_ENTRIES, MAX_SERVED_BYTES, TURN_BYTES, TURN_CALLS } from "./limits.ts";

/** What the files of one run take, and how often everybody else has a turn while it works. What is too much stops it. */
export class RunMemory {
  readonly #stopped: (why: string) => void;
  #held = 0;
  #entries = 0;
  #served = 0;
  #bytesSince = 0;
  #callsSince = 0;

  /** @param stopped told that the run may not go on, with the reason as a sentence */
  constructor(stopped: (why: string) => void) {
    this.#stopped = stopped;
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

  /** Counts a call for files; now and then it waits for others, so that timers ring and requests are answered. */
  async serve(bytes: number): Promise<void> {
    this.#served += bytes;
    this.#bytesSince += bytes;
    this.#callsSince++;
    if (this.#served > MAX_SERVED_BYTES) {
      this.stop(`It read more than ${MAX_SERVED_BYTES / 1024 / 1024} MB of files, the same ones counted each time.`);
    }
    if (this.#bytesSince < TURN_BYTES && this.#callsSince < TURN_CALLS) return;
    this.#bytesSince = 0;
    this.#callsSince = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
