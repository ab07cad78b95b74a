import type { NearChunk } from "./vector-index.ts";

/** The best of many chunks, as they are looked at one after the other: so many of them, and no more is kept. */
export class NearestList {
  readonly #count: number;
  /** Best first. */
  readonly #best: NearChunk[] = [];
  #floor = -Infinity;

  constructor(count: number) {
    this.#count = count;
  }

  /** What a chunk has to be above to get into the list. */
  get floor(): number {
    return this.#floor;
  }

  offer(chunkId: number, similarity: number): void {
    if (!(similarity > this.#floor)) return;
    this.#best.splice(this.#placeOf(similarity), 0, { chunkId, similarity });
    if (this.#best.length > this.#count) this.#best.pop();
    if (this.#best.length === this.#count) this.#floor = this.#best.at(-1)?.similarity ?? -Infinity;
  }

  /** Best first; of equals, whoever came first. */
  get all(): readonly NearChunk[] {
    return this.#best;
  }

  #placeOf(similarity: number): number {
    let low = 0;
    let high = this.#best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#best[middle]?.similarity ?? -Infinity) >= similarity) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
