import { LIST_PRICES, operationsUsd } from "../../src/services/list-prices.ts";
import type { OperationCounts } from "../../src/services/operations.ts";

/** Turns of which the operations are recorded: a warm one, and the same with one tool call that reads a file. */
export interface RecordedOperations {
  warm: OperationCounts;
  withTool: OperationCounts;
}

/** How long a model takes for an ordinary answer, and a session's object is awake, in milliseconds. */
const ANSWER_MS = 5_000;
/**
 * CPU time of an answer of 20 and of 500 deltas in milliseconds: by `npm run bench`, of all that workerd does on one machine for
 * it, which is the Worker, the object and R2 and D1 as well.
 */
const CPU_MS = { 20: 20, 500: 30 } as const;
const OBJECT_GB = 0.128;

/** What the Free plan allows in a day: developers.cloudflare.com/workers/platform/pricing, of November 2026. R2's is of a month. */
const FREE_A_DAY = {
  requests: 100_000,
  objectGbSeconds: 13_000,
  rowsWritten: 100_000,
  d1RowsWritten: 100_000,
  r2Writes: 1_000_000 / 30,
} as const;

/** The cost of turns as tables in Markdown. */
export function costTables({ warm, withTool }: RecordedOperations): string {
  const gbSeconds = (ANSWER_MS / 1000) * OBJECT_GB;
  const { workerRequest, workerCpuMs, objectRequest, objectGbSecond, rowRead, rowWritten, r2Write, r2Read } =
    LIST_PRICES;
  const rows: [what: string, amount: number, price: number][] = [
    ["requests to the Worker", 1, workerRequest],
    ["requests to the session's object", 1, objectRequest],
    [`GB-s of the object, for an answer of ${ANSWER_MS / 1000} s`, gbSeconds, objectGbSecond],
    ["ms of CPU, for an answer of 500 deltas", CPU_MS[500], workerCpuMs],
    ["rows written to the object", warm.rowsWritten, rowWritten],
    ["rows written to D1", warm.d1RowsWritten, rowWritten],
    ["rows read, of the object and of D1", warm.rowsRead + warm.d1RowsRead, rowRead],
    ["R2 writes and listings", warm.r2Writes, r2Write],
    ["R2 reads", warm.r2Reads, r2Read],
  ];
  const total = rows.reduce((sum, [, amount, price]) => sum + amount * price, 0);
  return [
    "| a warm turn | amount | dollars for a million turns |",
    "|---|---|---|",
    ...rows.map(([what, amount, price]) => `| ${what} | ${round(amount)} | ${round(amount * price * 1e6)} |`),
    `| **all of it** | | **${round(total * 1e6)}** |`,
    "",
    `A tool call that reads a file adds ${withTool.rowsWritten - warm.rowsWritten} rows written and ${withTool.r2Reads - warm.r2Reads} R2 read.`,
  ].join("\n");
}

/** What the Free plan carries, as a table in Markdown. */
export function freeTable({ warm }: RecordedOperations): string {
  const gbSeconds = (ANSWER_MS / 1000) * OBJECT_GB;
  const lines: [limit: string, used: number, allowed: number][] = [
    ["100,000 requests", 1, FREE_A_DAY.requests],
    ["13,000 GB-s of objects", gbSeconds, FREE_A_DAY.objectGbSeconds],
    ["100,000 rows written to objects", warm.rowsWritten, FREE_A_DAY.rowsWritten],
    ["100,000 rows written to D1", warm.d1RowsWritten, FREE_A_DAY.d1RowsWritten],
    ["R2: a million writes and listings a month", warm.r2Writes, FREE_A_DAY.r2Writes],
  ];
  return [
    "| Free plan, a day | turns |",
    "|---|---|",
    ...lines.map(([limit, used, allowed]) => `| ${limit} | ${turns(used, allowed)} |`),
    `| 10 ms of CPU for each request | a turn takes about ${CPU_MS[20]} ms for 20 deltas, ${CPU_MS[500]} ms for 500 |`,
  ].join("\n");
}

/** What a warm turn costs on the Paid plan, as a sentence. */
export function costSentence({ warm }: RecordedOperations): string {
  const dollars = operationsUsd({ ...warm, objectMs: ANSWER_MS }) + CPU_MS[500] * LIST_PRICES.workerCpuMs;
  const free = Math.floor(FREE_A_DAY.rowsWritten / warm.rowsWritten / 1000) * 1000;
  return (
    `A warm turn costs $${(dollars * 1e6).toFixed(0)} a million at Cloudflare's list prices, without the model. Free's ` +
    `rows are enough for ${free.toLocaleString("en-US")} turns a day, but its 10 ms of CPU are less than an ordinary answer takes.`
  );
}

function turns(used: number, allowed: number): string {
  return used === 0 ? "no limit" : Math.floor(allowed / used).toLocaleString("en-US");
}

function round(amount: number): string {
  return String(Math.round(amount * 100) / 100);
}
