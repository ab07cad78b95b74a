/** What an isolate remembers of packs, which never change: the latest used ones, up to so many bytes. */
export class PackCache {
  readonly maxBytes: number;
  readonly #entries = new Map<string, { value: unknown; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** How much is held now. */
  get bytes(): number {
    return this.#bytes;
  }

  get<Value>(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value as Value;
  }

  /** Holds a value; those that were not used for longest make room for it. */
  put(key: string, value: unknown, bytes: number): void {
    this.#drop(key);
    if (bytes > this.maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

/** What an isolate may spend on packs, of the 128 MB that it has. */
export const PACK_CACHE_BYTES = 24 * 1024 * 1024;
