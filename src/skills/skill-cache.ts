import type { LeftOut, Skill } from "./skill.ts";

/** The result of parsing a SKILL.md. */
export type CachedSkill = { kind: "skill"; skill: Skill } | { kind: "invalid"; leftOut: LeftOut };

const MAX_CHARS = 4 * 1024 * 1024;

/**
 * A cache of parsed SKILL.md files by location and version, shared by an isolate. It is bounded by the characters of
 * their JSON and evicts the least recently used. Values are shared: do not modify them.
 */
export class SkillCache {
  readonly #entries = new Map<string, { value: CachedSkill; chars: number }>();
  readonly #maxChars: number;
  #chars = 0;

  constructor(maxChars = MAX_CHARS) {
    this.#maxChars = maxChars;
  }

  /** The cached result for a version of a file. */
  get(location: string, etag: string, size: number): CachedSkill | undefined {
    const key = cacheKey(location, etag, size);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(location: string, etag: string, size: number, value: CachedSkill): void {
    const key = cacheKey(location, etag, size);
    this.#drop(key);
    const chars = JSON.stringify(value).length + key.length;
    if (chars > this.#maxChars) return;
    this.#entries.set(key, { value, chars });
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= this.#maxChars) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#chars -= this.#entries.get(key)?.chars ?? 0;
    this.#entries.delete(key);
  }
}

function cacheKey(location: string, etag: string, size: number): string {
  return `${location}\n${etag}\n${size}`;
}
