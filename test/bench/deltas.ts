import { setTimeout as sleep } from "node:timers/promises";
import { DELTAS, setAnswers } from "./answers.ts";
import type { Contender, ContenderName } from "./contenders.ts";
import { cpuMsOf } from "./processes.ts";
import { quantile, rounded } from "./statistics.ts";

/** What is done after a turn's answer is done by then. */
const SETTLE_MS = 1_000;

/** The cost of a turn whose answer has so many deltas, at the median. */
export interface DeltaCost {
  turnEndMs: number;
  durableFloorMs: number;
  /** Of the turn ends, over the durable floor. */
  ratio: number;
  /** Of Isopod's workerd for a turn and what follows it; undefined where the system does not tell. */
  cpuMs: number | undefined;
}

/** How many deltas an answer has, and how many such turns are measured. */
export interface DeltaLoad {
  deltas: number;
  turns: number;
}

/** Has the second turn of as many sessions, so that neither a new session nor a long transcript is part of the cost. */
export async function runDeltas(
  contenders: readonly Contender[],
  modelServer: string,
  { deltas, turns }: DeltaLoad,
  workerdPid: number | undefined,
): Promise<DeltaCost> {
  const measured = contenders.filter(({ name }) => name !== "floor");
  const sessions = Array.from({ length: turns }, (_, n) => `deltas${deltas}-${n}`);
  await setAnswers(modelServer, measured, sessions, [DELTAS, deltas]);
  for (const session of sessions) {
    for (const contender of measured) await contender.turn(session);
  }
  await sleep(SETTLE_MS);
  const cpuBefore = await cpuMsOf(workerdPid);
  const ends: Record<ContenderName, number[]> = { isopod: [], floor: [], durableFloor: [] };
  for (const session of sessions) {
    for (const contender of measured) {
      const { sentAt, endAt } = await contender.turn(session);
      ends[contender.name].push(endAt - sentAt);
    }
  }
  await sleep(SETTLE_MS);
  const cpuAfter = await cpuMsOf(workerdPid);
  const [turnEndMs, durableFloorMs] = [quantile(ends.isopod, 0.5), quantile(ends.durableFloor, 0.5)];
  return {
    turnEndMs: rounded(turnEndMs),
    durableFloorMs: rounded(durableFloorMs),
    ratio: rounded(turnEndMs / durableFloorMs),
    cpuMs: cpuBefore === undefined || cpuAfter === undefined ? undefined : rounded((cpuAfter - cpuBefore) / turns),
  };
}
