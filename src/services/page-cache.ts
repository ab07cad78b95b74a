import type { FetchedPage, PageCache } from "../tools/web-fetch.ts";

/** Most pages in memory, and most characters of all of them. */
const MAX_PAGES = 200;
const MAX_CHARS = 8_000_000;

interface KeptPage {
  page: FetchedPage;
  /** When it was fetched, in milliseconds since the epoch. */
  at: number;
}

/** The pages that one isolate has fetched, for all its agents. They are gone with the isolate. */
export class FetchedPages {
  /** The oldest first. */
  readonly #pages = new Map<string, KeptPage>();
  readonly #now: () => number;
  #chars = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The pages of one agent that are younger than `maxAgeMs`. No other agent sees them. */
  of(agentId: string, maxAgeMs: number): PageCache {
    return {
      find: (key) => {
        const kept = this.#pages.get(`${agentId} ${key}`);
        return kept !== undefined && this.#now() - kept.at < maxAgeMs ? kept.page : undefined;
      },
      keep: (key, page) => {
        if (maxAgeMs > 0) this.#keep(`${agentId} ${key}`, page);
      },
    };
  }

  #keep(key: string, page: FetchedPage): void {
    if (this.#pages.get(key)?.page === page || page.text.length > MAX_CHARS) return;
    this.#drop(key);
    this.#pages.set(key, { page, at: this.#now() });
    this.#chars += page.text.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES && this.#chars <= MAX_CHARS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#chars -= this.#pages.get(key)?.page.text.length ?? 0;
    this.#pages.delete(key);
  }
}

/** The pages that this isolate has fetched. */
export const isolatePages = new FetchedPages(() => Date.now());
