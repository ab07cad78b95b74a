import { setTimeout as sleep } from "node:timers/promises";
import { isopodContender } from "./contenders.ts";
import type { Counts, TurnCounts } from "./counting.ts";
import { quantile } from "./statistics.ts";

const WARM_UP_TURNS = 2;
const COUNTED_TURNS = 9;
/** What is done after a turn's answer is done by then, such as telling the index, for which a session gathers its news. */
const SETTLE_MS = 600;

/** Storage operations of a warm turn. */
export interface CountedTurn {
  beforeModel: Counts;
  total: Counts;
}

/** Has turns one by one at an Isopod whose bindings count, and gives the median of each count. */
export async function countTurns(url: string, token: string): Promise<CountedTurn> {
  const isopod = isopodContender(url, token);
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await isopod.turn("counted");
  await countsOf(url);
  const before: Counts[] = [];
  const totals: Counts[] = [];
  for (let turn = 0; turn < COUNTED_TURNS; turn++) {
    await isopod.turn("counted");
    const { beforeModel, total } = await countsOf(url);
    if (beforeModel === undefined) throw new Error("A turn asked no model.");
    before.push(beforeModel);
    totals.push(total);
  }
  return { beforeModel: medians(before), total: medians(totals) };
}

/** What was counted since it was last asked for, once all is done that follows a turn. */
export async function countsOf(url: string): Promise<TurnCounts> {
  await sleep(SETTLE_MS);
  const response = await fetch(`${url}/counts`);
  const counts: TurnCounts = JSON.parse(await response.text());
  return counts;
}

function medians(all: readonly Counts[]): Counts {
  const median = (name: keyof Counts) =>
    quantile(
      all.map((counts) => counts[name]),
      0.5,
    );
  return {
    r2: median("r2"),
    r2Gets: median("r2Gets"),
    r2Lists: median("r2Lists"),
    r2GetsAtOnce: median("r2GetsAtOnce"),
    d1: median("d1"),
    d1RoundTrips: median("d1RoundTrips"),
    doRowsWritten: median("doRowsWritten"),
  };
}
