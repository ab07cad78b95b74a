/** Where a turn can be when it is interrupted; `commit` is the moment right after something was told that it stores. */
export type Place = "model" | "tool" | "delivery" | "commit";

/** How long after that moment counts as right after it, in milliseconds. */
const COMMIT_MS = 15;

/** What is going on at the outside, as the fakes see it: what a kill aims at, and what it hit. */
export class Watch {
  readonly #inside: Record<Exclude<Place, "commit">, Set<string>> = {
    model: new Set(),
    tool: new Set(),
    delivery: new Set(),
  };
  #committed = { at: Number.NEGATIVE_INFINITY, what: "" };
  readonly #waiting = new Set<(place: Place) => void>();
  /** How many requests models have got. */
  modelRequests = 0;

  /** Something has begun; call the answer when it is over. */
  enter(place: Exclude<Place, "commit">, what: string): () => void {
    const entry = `${what}#${performance.now()}`;
    if (place === "model") this.modelRequests++;
    this.#inside[place].add(entry);
    this.#tell(place);
    return () => {
      this.#inside[place].delete(entry);
    };
  }

  /** Isopod has just been told something that it stores, or has just said that it did. */
  committed(what: string): void {
    this.#committed = { at: performance.now(), what };
    this.#tell("commit");
  }

  /** Whether nothing is on its way anywhere. */
  get isIdle(): boolean {
    return Object.values(this.#inside).every((entries) => entries.size === 0);
  }

  /** Resolves when somebody enters a place, or after `withinMs`. */
  next(wanted: Place, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = (place: Place) => {
        if (place === wanted) done();
      };
      const timer = setTimeout(done, withinMs);
      this.#waiting.add(look);
    });
  }

  /** What is where at this moment, by name. */
  look(): Record<Place, string[]> {
    const names = (entries: Set<string>) => [...entries].map((entry) => entry.slice(0, entry.lastIndexOf("#")));
    const { at, what } = this.#committed;
    return {
      model: names(this.#inside.model),
      tool: names(this.#inside.tool),
      delivery: names(this.#inside.delivery),
      commit: performance.now() - at <= COMMIT_MS ? [what] : [],
    };
  }

  #tell(place: Place): void {
    for (const look of [...this.#waiting]) look(place);
  }
}
