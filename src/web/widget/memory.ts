/** What a browser keeps of a chat. */
export interface Kept {
  token?: string;
  /** Messages that the Worker has not confirmed. */
  unsent: readonly { id: string; text: string }[];
}

/** What one chat keeps across reloads, in every tab of a page's origin; in this tab alone where storage is closed. */
export class Memory {
  readonly #name: string;
  /** What this tab remembers itself, once storage was closed or full. */
  #own: Kept | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** As it is now: another tab may have changed it. */
  get kept(): Kept {
    if (this.#own !== undefined) return this.#own;
    try {
      const { token, unsent }: Partial<Kept> = JSON.parse(localStorage.getItem(this.#name) ?? "{}");
      return { ...(typeof token === "string" && { token }), unsent: Array.isArray(unsent) ? unsent : [] };
    } catch {
      // Storage is closed, or has something else under this name: the chat begins anew.
      return { unsent: [] };
    }
  }

  change(change: Partial<Kept>): void {
    const kept = { ...this.kept, ...change };
    try {
      localStorage.setItem(this.#name, JSON.stringify(kept));
    } catch {
      this.#own = kept;
    }
  }

  /** Whether the chat was open when this tab was reloaded. */
  get isOpen(): boolean {
    try {
      return sessionStorage.getItem(this.#name) === "open";
    } catch {
      return false;
    }
  }

  set isOpen(isOpen: boolean) {
    try {
      sessionStorage.setItem(this.#name, isOpen ? "open" : "closed");
    } catch {
      // Storage is closed: after a reload the chat is closed, too.
    }
  }
}
