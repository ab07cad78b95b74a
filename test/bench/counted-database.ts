/** What was asked of a D1 database, as D1 itself tells it. */
export interface DatabaseCounts {
  roundTrips: number;
  statements: number;
  rowsRead: number;
  rowsWritten: number;
  /** How an FTS5 table was searched. */
  matches: Match[];
}

/** An expression that FTS5 was given. */
export interface Match {
  expression: string;
  /** How many of the chunks that match are gone through, where the statement leaves the others out by their ids. */
  newest: number | undefined;
}

interface Statement {
  sql: string;
  params?: unknown[];
}

interface Outcome {
  meta?: { rows_read?: number; rows_written?: number };
}

/** What a binding of workerd speaks through: one request for each statement or batch. */
interface Speaking {
  fetcher: Fetcher;
  constructor: new (fetcher: Fetcher) => D1Database;
}

/** The same database, which adds what it is asked to `counts`. */
export function countedDatabase(database: D1Database, counts: DatabaseCounts): D1Database {
  const speaking = database as unknown as Speaking;
  const counted = {
    async fetch(url: string, init: RequestInit) {
      const response = await speaking.fetcher.fetch(url, init);
      const statements = list(JSON.parse(String(init.body)) as Statement | Statement[]);
      const outcomes = list((await response.clone().json()) as Outcome | Outcome[]);
      counts.roundTrips++;
      counts.statements += statements.length;
      for (const { meta } of outcomes) {
        counts.rowsRead += meta?.rows_read ?? 0;
        counts.rowsWritten += meta?.rows_written ?? 0;
      }
      for (const statement of statements) counts.matches.push(...matchesOf(statement));
      return response;
    },
  };
  return new speaking.constructor(counted as unknown as Fetcher);
}

/** What is bound where a statement says MATCH; one that says it twice looks at the newest first. */
function matchesOf({ sql, params = [] }: Statement): Match[] {
  const [first] = sql.matchAll(/\bMATCH\s+\?(\d*)/gi);
  if (first === undefined) return [];
  const [, number] = first;
  const at = number ? Number(number) - 1 : sql.slice(0, first.index).split("?").length - 1;
  const newest = /\bOFFSET\s+(\d+)/i.exec(sql)?.[1];
  return [{ expression: String(params[at]), newest: newest === undefined ? undefined : Number(newest) }];
}

function list<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value];
}
