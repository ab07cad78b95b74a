import type { LeftOut, Skill } from "./skill.ts";

/** What a SKILL.md came to when it was last read. */
export type CachedSkill = { kind: "skill"; skill: Skill } | { kind: "invalid"; leftOut: LeftOut };

const MAX_CHARS = 4 * 1024 * 1024;

/**
 * What SKILL.md files came to, by place and version, so that nobody reads one twice in an isolate. Bounded by the characters
 * of their JSON; what was asked for longest ago goes first. What it gives is shared: nobody changes it.
 */
export class SkillCache {
  readonly #entries = new Map<string, { value: CachedSkill; chars: number }>();
  readonly #maxChars: number;
  #chars = 0;

  constructor(maxChars = MAX_CHARS) {
    this.#maxChars = maxChars;
  }

  /** What is remembered of a version of a file at a place. */
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
