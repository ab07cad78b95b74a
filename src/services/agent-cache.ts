import type { SearchAnswer } from "../search/search-provider.ts";
import type { KeyedCache } from "../tools/keyed-cache.ts";
import type { FetchedPage } from "../tools/web-fetch.ts";

/** Most values in memory, and most characters of all of them. */
const MAX_VALUES = 200;
const MAX_CHARS = 8_000_000;

interface KeptValue<Value> {
  value: Value;
  /** When it was fetched, in milliseconds since the epoch. */
  at: number;
  chars: number;
}

/** What one isolate has fetched, for all its agents. It is gone with the isolate. */
export class AgentCache<Value extends object> {
  /** The oldest first. */
  readonly #values = new Map<string, KeptValue<Value>>();
  readonly #charsOf: (value: Value) => number;
  readonly #now: () => number;
  #chars = 0;

  constructor(charsOf: (value: Value) => number, now: () => number) {
    this.#charsOf = charsOf;
    this.#now = now;
  }

  /** The values of one agent that are younger than `maxAgeMs`. No other agent sees them. */
  of(agentId: string, maxAgeMs: number): KeyedCache<Value> {
    return {
      find: (key) => {
        const kept = this.#values.get(`${agentId} ${key}`);
        return kept !== undefined && this.#now() - kept.at < maxAgeMs ? kept.value : undefined;
      },
      keep: (key, value) => {
        if (maxAgeMs > 0) this.#keep(`${agentId} ${key}`, value);
      },
    };
  }

  #keep(key: string, value: Value): void {
    const chars = this.#charsOf(value);
    if (this.#values.get(key)?.value === value || chars > MAX_CHARS) return;
    this.#drop(key);
    this.#values.set(key, { value, at: this.#now(), chars });
    this.#chars += chars;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= MAX_VALUES && this.#chars <= MAX_CHARS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#chars -= this.#values.get(key)?.chars ?? 0;
    this.#values.delete(key);
  }
}

/** The pages that this isolate has fetched. */
export const isolatePages = new AgentCache<FetchedPage>(({ text }) => text.length, Date.now);

/** What this isolate's searches have found. */
export const isolateSearches = new AgentCache<SearchAnswer>((answer) => JSON.stringify(answer).length, Date.now);
