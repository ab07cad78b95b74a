import { setTimeout as sleep } from "node:timers/promises";
import { isopodContender } from "./contenders.ts";
import type { Counts, TurnCounts } from "./counting.ts";

const WARM_UP_TURNS = 2;
/** All that follows a turn's answer is done by then: the index is told, files are compared, an alarm set for a recovery rings. */
const SETTLE_MS = 2_500;
/** Long enough for all that a turn does by itself before it asks the model. */
const REMOTE_MS = 150;
/** How long after the last turn the counted ones come. */
const GAPS_MS = { soon: 0, withinMinute: 50_000, afterMinute: 70_000 };
/** Sessions of one agent that have a turn at the same time. */
export const ROUND = 20;

/** The operations of a turn. */
export interface CountedTurn {
  beforeModel: Counts;
  total: Counts;
}

/** A warm turn right after the last, 50 s and 70 s after it; and one turn each of many sessions, 70 s after their last. */
export interface CountedTurns extends Record<keyof typeof GAPS_MS, CountedTurn> {
  round: Counts;
}

/** Has turns at an Isopod whose bindings count and whose clock can be put on; gives the most of each count. */
export async function countTurns(url: string, token: string, turns: number): Promise<CountedTurns> {
  const isopod = isopodContender(url, token);
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await isopod.turn("counted");
  await settle();
  const counted = async (laterMs: number) => {
    const all: CountedTurn[] = [];
    for (let turn = 0; turn < turns; turn++) {
      await countsOf(url, { laterMs, remoteMs: REMOTE_MS });
      await isopod.turn("counted");
      all.push(await countedTurn(url));
    }
    return { beforeModel: most(all.map((one) => one.beforeModel)), total: most(all.map((one) => one.total)) };
  };
  const soon = await counted(GAPS_MS.soon);
  const withinMinute = await counted(GAPS_MS.withinMinute);
  const afterMinute = await counted(GAPS_MS.afterMinute);
  const sessions = Array.from({ length: ROUND }, (_, n) => `round${n}`);
  const round = () => Promise.all(sessions.map((session) => isopod.turn(session)));
  await round();
  await settle();
  await countsOf(url, { laterMs: GAPS_MS.afterMinute });
  await round();
  await settle();
  const { total } = await countsOf(url, { remoteMs: 0 });
  return { soon, withinMinute, afterMinute, round: total };
}

/** What was counted of one turn, once all is done that follows it. */
export async function countedTurn(url: string): Promise<CountedTurn> {
  await settle();
  const { beforeModel, total } = await countsOf(url);
  if (beforeModel === undefined) throw new Error("A turn asked no model.");
  return { beforeModel, total };
}

/** What was counted since it was last asked for; the counts begin anew. */
export async function countsOf(
  url: string,
  settings: { laterMs?: number; remoteMs?: number } = {},
): Promise<TurnCounts> {
  const query = new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  const response = await fetch(`${url}/counts?${query}`);
  const counts: TurnCounts = JSON.parse(await response.text());
  return counts;
}

function settle(): Promise<void> {
  return sleep(SETTLE_MS);
}

function most(all: readonly Counts[]): Counts {
  const [first, ...others] = all;
  if (first === undefined) throw new Error("No turn was counted.");
  const names = Object.keys(first) as (keyof Counts)[];
  const max = (name: keyof Counts) => Math.max(first[name], ...others.map((one) => one[name]));
  return Object.fromEntries(names.map((name) => [name, max(name)])) as unknown as Counts;
}
