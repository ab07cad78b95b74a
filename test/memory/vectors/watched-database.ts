/** Decides about each call that reaches a database: whether it fails before it is carried out, or after. */
export type Fate = (call: number) => "before" | "after" | undefined;

/** A real database of which every call is counted, with the rows that it read, and some fail. */
export function watchedDatabase(database: D1Database, fate: Fate = () => undefined) {
  const seen = { calls: 0, rowsRead: 0 };

  async function carryOut<Result>(work: () => Promise<Result>): Promise<Result> {
    seen.calls++;
    const when = fate(seen.calls);
    if (when === "before") throw new Error("the database went away");
    const result = await work();
    if (when === "after") throw new Error("the database went away");
    for (const { meta } of [result].flat() as { meta?: { rows_read?: number } }[])
      seen.rowsRead += meta?.rows_read ?? 0;
    return result;
  }

  class Watched {
    readonly inner: D1PreparedStatement;
    constructor(inner: D1PreparedStatement) {
      this.inner = inner;
    }
    bind(...values: unknown[]) {
      return new Watched(this.inner.bind(...values));
    }
    all() {
      return carryOut(() => this.inner.all());
    }
    run() {
      return carryOut(() => this.inner.run());
    }
    async raw() {
      const { results } = await carryOut(() => this.inner.all<Record<string, unknown>>());
      return results.map((row) => Object.values(row));
    }
    async first() {
      return (await carryOut(() => this.inner.all())).results[0] ?? null;
    }
  }

  const watched = {
    prepare: (query: string) => new Watched(database.prepare(query)),
    batch: (statements: Watched[]) => carryOut(() => database.batch(statements.map(({ inner }) => inner))),
  };
  return { database: watched as unknown as D1Database, seen };
}
