import type { BootstrapCache } from "../workspace/bootstrap.ts";
import type { CachedText } from "../workspace/read-text.ts";

/** Most bytes of cached text: an eighth of the isolate's 128 MB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The size of an entry besides its text. */
const ENTRY_BYTES = 500;

/**
 * A cache of workspace files, by agent, limited in bytes: the least recently used are dropped. A file that exceeds the
 * limit by itself is not cached.
 */
export class RememberedFiles {
  readonly #maxBytes: number;
  /** By agent and path, the least recently used first. */
  readonly #texts = new Map<string, CachedText>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The files of one agent; no other sees them. */
  of(agentId: string): BootstrapCache {
    return {
      get: (path) => this.#get(`${agentId} ${path}`),
      set: (path, text) => this.#set(`${agentId} ${path}`, text),
    };
  }

  #get(key: string): CachedText | undefined {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  #set(key: string, text: CachedText): void {
    this.#forget(key);
    const bytes = sizeOf(text);
    if (bytes > this.#maxBytes) return;
    this.#texts.set(key, text);
    this.#bytes += bytes;
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const text = this.#texts.get(key);
    if (text === undefined) return;
    this.#texts.delete(key);
    this.#bytes -= sizeOf(text);
  }
}

const files = new RememberedFiles(MAX_BYTES);

/**
 * The isolate's cache of an agent's workspace files, for all its sessions: a new session of an active agent reads
 * nothing. An entry counts only under the etag of the turn's own listing.
 */
export function filesReadOf(agentId: string): BootstrapCache {
  return files.of(agentId);
}

/** In bytes. A part of a text keeps the whole of it in memory, as far as it was read. */
function sizeOf(text: CachedText): number {
  if (text.kind === "binary") return ENTRY_BYTES;
  const { head, tail, rawChars, exact } = text.excerpt;
  return ENTRY_BYTES + 2 * (exact ? rawChars : head.length + tail.length);
}
