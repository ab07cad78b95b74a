import type { BrowserBinding } from "./browser-binding.ts";
import type { BrowserPage } from "./browser-page.ts";
import type { OpenPage } from "./open-page.ts";

/** What the platform takes for how long it keeps a browser for which nothing is done, in milliseconds. */
const KEEP_ALIVE_MS = { min: 10_000, max: 600_000 };

/** What a session opens browsers with. */
export interface BrowserSource {
  binding: BrowserBinding;
  /** After how long without a call the browser ends, in milliseconds. */
  idleMs: number;
}

/**
 * The browser of a session: acquired when a page is opened first, and released after a time without calls. It is in
 * memory alone: after an eviction there is none, and the platform ends the one that was left.
 */
export class SessionBrowser {
  #open: OpenPage | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Settles when the work before has ended, even if its call was aborted. */
  #before: Promise<unknown> = Promise.resolve();

  /** The open page; undefined if none is open. */
  get page(): BrowserPage | undefined {
    return this.#open?.page.isClosed ? undefined : this.#open?.page;
  }

  /** The open page, or an empty one in a new browser. @throws BrowserError if none is available or isolated */
  async pageFor({ binding, idleMs }: BrowserSource): Promise<BrowserPage> {
    const known = this.page;
    if (known !== undefined) return known;
    const keepAliveMs = Math.min(Math.max(idleMs, KEEP_ALIVE_MS.min), KEEP_ALIVE_MS.max);
    const { openPage } = await import("./open-page.ts");
    this.#open = await openPage(binding, keepAliveMs);
    return this.#open.page;
  }

  /** Keeps the browser for work, one after another, and for `idleMs` after it. Settles as the work does. */
  during<Result>({ idleMs }: BrowserSource, work: () => Promise<Result>): Promise<Result> {
    const result = this.#before.then(async () => {
      clearTimeout(this.#timer);
      try {
        return await work();
      } finally {
        // The timer keeps the object in memory; without it the browser would be paid for until the platform ends it.
        if (this.#open !== undefined) this.#timer = setTimeout(() => this.close(), idleMs);
      }
    });
    this.#before = result.catch(() => undefined);
    return result;
  }

  /** Ends the browser. Never rejects, and may be called without one. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const open = this.#open;
    this.#open = undefined;
    await open?.close();
  }
}
