/** Work that waits until it has been quiet for a while. */
export class Debounce {
  #cancel: (() => void) | undefined;

  /** Does the work after so many milliseconds, unless it is cancelled or put off before. Resolves when it is done, or will not be. */
  async after(ms: number, work: () => Promise<void>): Promise<void> {
    this.cancel();
    if (await this.#isQuietFor(ms)) await work();
  }

  /** What waits is not done. What has begun goes on. Says whether something waited. */
  cancel(): boolean {
    const waited = this.#cancel !== undefined;
    this.#cancel?.();
    this.#cancel = undefined;
    return waited;
  }

  #isQuietFor(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#cancel = undefined;
        resolve(true);
      }, ms);
      this.#cancel = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }
}
