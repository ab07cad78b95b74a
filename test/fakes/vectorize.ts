import type { VectorizeBinding } from "../../src/memory/vectors/vectorize-index.ts";

type Vector = Parameters<VectorizeBinding["upsert"]>[0][number];

/** How many more calls an index answers before it shows what it was given. */
const CALLS_UNTIL_VISIBLE = 3;

/**
 * A Vectorize index as its documentation has it, and as it was met: it refuses what the real one refuses, and shows a change
 * only when others came after it. Ids are the only ones in the whole index.
 */
export class StandInVectorize implements VectorizeBinding {
  readonly #dimensions: number;
  readonly #shown = new Map<string, Vector>();
  #waiting: { change: () => void; calls: number }[] = [];
  /** What was asked of it, in order. */
  readonly calls: string[] = [];
  /** What each call fails with, as long as it is set; `silence` answers nothing at all. */
  trouble: Error | "silence" | undefined;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  /** All that was given can be seen now. */
  settle(): void {
    for (const { change } of this.#waiting.splice(0)) change();
  }

  /** How many vectors it has, seen or not. */
  get size(): number {
    this.settle();
    return this.#shown.size;
  }

  async describe() {
    await this.#called("describe");
    return { dimensions: this.#dimensions, vectorCount: this.#shown.size };
  }

  async query(vector: number[], options: Parameters<VectorizeBinding["query"]>[1]) {
    await this.#called("query");
    this.#check(vector);
    refuse(options.topK < 1 || options.topK > 100, 40025, "topK has to be from 1 to 100");
    refuse(bytesOf(options.namespace) > 64, 40019, "a namespace has at most 64 bytes");
    const matches = [...this.#shown.values()]
      .filter(({ namespace }) => namespace === options.namespace)
      .map(({ id, values }) => ({ id, score: values.reduce((sum, value, at) => sum + value * vector[at]!, 0) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, options.topK);
    return { matches, count: matches.length };
  }

  async upsert(vectors: Vector[]) {
    await this.#called(`upsert ${vectors.length}`);
    refuse(vectors.length === 0 || vectors.length > 1000, 40007, "an upsert has 1 to 1,000 vectors");
    for (const { id, namespace, values } of vectors) {
      this.#check(values);
      refuse(bytesOf(id) > 64, 40008, "an id has at most 64 bytes");
      refuse(bytesOf(namespace) > 64, 40019, "a namespace has at most 64 bytes");
    }
    return this.#change(() => {
      for (const vector of vectors) this.#shown.set(vector.id, structuredClone(vector));
    });
  }

  async deleteByIds(ids: string[]) {
    await this.#called(`deleteByIds ${ids.length}`);
    refuse(
      ids.length === 0 || ids.length > 100,
      40007,
      `too many ids in payload; max id count is 100, got ${ids.length}`,
    );
    return this.#change(() => {
      for (const id of ids) this.#shown.delete(id);
    });
  }

  #change(change: () => void) {
    this.#waiting.push({ change, calls: CALLS_UNTIL_VISIBLE });
    return { mutationId: `mutation-${this.calls.length}` };
  }

  async #called(call: string): Promise<void> {
    if (this.trouble === "silence") await new Promise(() => {});
    if (this.trouble instanceof Error) throw this.trouble;
    this.calls.push(call);
    for (const waiting of this.#waiting) waiting.calls--;
    while ((this.#waiting[0]?.calls ?? 1) <= 0) this.#waiting.shift()?.change();
  }

  #check(values: number[]): void {
    refuse(
      values.length !== this.#dimensions,
      40012,
      `invalid vector, expected ${this.#dimensions} dimensions, and got ${values.length} dimensions`,
    );
  }
}

function refuse(isWrong: boolean, code: number, message: string): void {
  if (isWrong) throw new Error(`VECTORIZE_ERROR (code = ${code}): ${message}`);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
