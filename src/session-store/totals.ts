import { sql } from "drizzle-orm";
import { runs } from "./schema.ts";
import type { Store } from "./store.ts";

/** How many of the newest runs are counted. */
export const MAX_COUNTED = 10_000;

/** The usage of some runs. */
export interface Total {
  runs: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Estimated, in millionths of a US dollar, of the runs whose model has a price. */
  costMicros: number;
  /** Runs whose model has no price. */
  unpriced: number;
}

/** The usage of a session. Runs that called no model do not count. */
export interface Totals {
  /** The current conversation. */
  conversation: Total;
  today: Total;
  /** All stored runs, at most the newest `MAX_COUNTED`. */
  all: Total;
  isWhole: boolean;
  /** By the model that answered last in each run, the most expensive first. */
  byModel: { model: string; total: Total }[];
}

interface Group extends Total {
  model: string | null;
  isConversation: number;
  isToday: number;
}

/** Adds up the usage of the newest runs. It reads many rows, so only commands call it. */
export function readTotals(store: Store, contextSeq: number, dayStart: number): Totals {
  const groups = store.all<Group>(sql`
    SELECT model, started >= ${contextSeq} AS isConversation, acceptedAt >= ${dayStart} AS isToday, count(*) AS runs,
      sum(input) AS input, sum(output) AS output, sum(cacheRead) AS cacheRead, sum(cacheWrite) AS cacheWrite,
      coalesce(sum(cost), 0) AS costMicros, sum(cost IS NULL) AS unpriced
    FROM (
      SELECT ${runs.acceptedAt} AS acceptedAt, ${field("model")} AS model, ${field("startSeq")} AS started,
        ${field("usage.input")} AS input, ${field("usage.output")} AS output, ${field("usage.costMicros")} AS cost,
        ${field("usage.cacheRead")} AS cacheRead, ${field("usage.cacheWrite")} AS cacheWrite
      FROM ${runs} ORDER BY rowid DESC LIMIT ${MAX_COUNTED}
    )
    WHERE input + output > 0 GROUP BY 1, 2, 3`);
  const sumOf = (belongs: (group: Group) => boolean) => groups.filter(belongs).reduce(add, NOTHING);
  const models = [...new Set(groups.map(({ model }) => model))];
  return {
    conversation: sumOf(({ isConversation }) => isConversation === 1),
    today: sumOf(({ isToday }) => isToday === 1),
    all: sumOf(() => true),
    isWhole: store.select({ id: runs.id }).from(runs).limit(1).offset(MAX_COUNTED).get() === undefined,
    byModel: models
      .map((model) => ({ model: model ?? "unknown", total: sumOf((group) => group.model === model) }))
      .sort((a, b) => b.total.costMicros - a.total.costMicros || b.total.input - a.total.input),
  };
}

/** A field of a run's state; null where that is not valid JSON, which would fail the query. */
function field(path: string) {
  return sql`CASE WHEN json_valid(${runs.state}) THEN ${runs.state} ->> ${`$.${path}`} END`;
}

const NOTHING: Total = { runs: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costMicros: 0, unpriced: 0 };

function add(a: Total, b: Total): Total {
  return {
    runs: a.runs + b.runs,
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    costMicros: a.costMicros + b.costMicros,
    unpriced: a.unpriced + b.unpriced,
  };
}
