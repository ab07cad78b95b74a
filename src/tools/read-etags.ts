/**
 * The versions of files that the agent has seen, shared by the file tools of a session: a write replaces only the
 * version that was seen. Losing them is harmless: files must then be read again before they are overwritten.
 */
export class ReadEtags {
  readonly #etags = new Map<string, string>();

  /** The version that was seen last; undefined if none was. */
  get(path: string): string | undefined {
    return this.#etags.get(path);
  }

  set(path: string, etag: string): void {
    this.#etags.set(path, etag);
  }

  /** The file was deleted, or its current version was not seen. */
  forget(path: string): void {
    this.#etags.delete(path);
  }

  /** Forgets all versions. */
  clear(): void {
    this.#etags.clear();
  }

  /** Adds the versions that the prompt showed, by path. */
  seen(etags: ReadonlyMap<string, string>): void {
    for (const [path, etag] of etags) this.#etags.set(path, etag);
  }
}
