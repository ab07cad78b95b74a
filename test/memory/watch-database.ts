/** Faults of a database; a call is a batch or a single statement. */
export interface Watch {
  /** The n-th call and all later ones fail, before or after they took effect. */
  dies?: { at: number; when: "before" | "after" };
  /** Awaited before each call. */
  hold?(call: number): Promise<void>;
}

/** The real D1 with counted calls and rows, and with faults. */
export function watchDatabase(real: D1Database, { dies, hold }: Watch = {}) {
  const seen = { calls: 0, rowsRead: 0, rowsWritten: 0 };
  const reals = new WeakMap<object, D1PreparedStatement>();

  async function call<Result>(run: () => Promise<Result>): Promise<Result> {
    const number = ++seen.calls;
    await hold?.(number);
    if (dies !== undefined && (number > dies.at || (number === dies.at && dies.when === "before")))
      throw new Error("died");
    const result = await run();
    for (const { meta } of [result].flat() as Partial<D1Result>[]) {
      seen.rowsRead += meta?.rows_read ?? 0;
      seen.rowsWritten += meta?.rows_written ?? 0;
    }
    if (number === dies?.at) throw new Error("died");
    return result;
  }

  function watched(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => watched(statement.bind(...values)),
      run: () => call(() => statement.run()),
      all: () => call(() => statement.all()),
      // It returns no counts.
      raw: () => call(() => statement.raw()),
      first: () => call(() => statement.first()),
    };
    reals.set(wrapped, statement);
    return wrapped as unknown as D1PreparedStatement;
  }

  const database = {
    prepare: (sql: string) => watched(real.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      call(() => real.batch(statements.map((statement) => reals.get(statement) ?? statement))),
  };
  return { database: database as unknown as D1Database, seen };
}
