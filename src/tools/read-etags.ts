/**
 * Which version of each file the agent has seen. The file tools of one session share it: a write goes over the version
 * that was seen and over no other. It is no loss when it is forgotten: files are then read again before they are
 * overwritten.
 */
export class ReadEtags {
  readonly #etags = new Map<string, string>();

  /** The version of the file that was seen last; undefined where none was. */
  get(path: string): string | undefined {
    return this.#etags.get(path);
  }

  set(path: string, etag: string): void {
    this.#etags.set(path, etag);
  }

  /** The file is gone, or what is there now was not seen. */
  forget(path: string): void {
    this.#etags.delete(path);
  }

  /** Nothing was seen yet. */
  clear(): void {
    this.#etags.clear();
  }

  /** Takes in what the prompt showed, by path. */
  seen(etags: ReadonlyMap<string, string>): void {
    for (const [path, etag] of etags) this.#etags.set(path, etag);
  }
}
