import { setTimeout as sleep } from "node:timers/promises";
import { setAnswers } from "./answers.ts";
import type { Contender } from "./contenders.ts";
import { quantile, rounded } from "./statistics.ts";

/** Between two turns, so that what one does after its answer is not the next one's time. */
const PAUSE_MS = 40;

/** The end of the first turn in a new session, at the median. */
export interface FirstTurn {
  turnEndMs: number;
  durableFloorMs: number;
  /** Over the first turn in a new object of the durable floor. */
  ratio: number;
}

/** Has the first turn of as many new sessions. */
export async function runFirstTurns(
  contenders: readonly Contender[],
  modelServer: string,
  count: number,
): Promise<FirstTurn> {
  const sessions = Array.from({ length: count }, (_, n) => `first${n}`);
  await setAnswers(modelServer, contenders, sessions);
  const isopod: number[] = [];
  const durableFloor: number[] = [];
  for (const session of sessions) {
    for (const contender of contenders) {
      if (contender.name === "floor") continue;
      const ends = contender.name === "isopod" ? isopod : durableFloor;
      ends.push(await turnMs(contender, session));
    }
  }
  const [turnEndMs, durableFloorMs] = [quantile(isopod, 0.5), quantile(durableFloor, 0.5)];
  return {
    turnEndMs: rounded(turnEndMs),
    durableFloorMs: rounded(durableFloorMs),
    ratio: rounded(turnEndMs / durableFloorMs),
  };
}

/** The end of a turn at the median, by the number of messages that its session had when the turns began. */
export type Growth = Record<number, number>;

/** Fills a session for each length by turns with a short answer, and has as many turns in each of them in turns. */
export async function runGrowth(
  isopod: Contender,
  modelServer: string,
  { lengths, turns }: { lengths: readonly number[]; turns: number },
): Promise<Growth> {
  const sessions = lengths.map((messages) => ({ messages, name: `growth${messages}`, ends: [] as number[] }));
  for (const { messages, name } of sessions) {
    await setAnswers(modelServer, [isopod], [name], [1]);
    for (let turn = 0; turn < messages / 2; turn++) await isopod.turn(name);
    await setAnswers(modelServer, [isopod], [name]);
  }
  for (let turn = 0; turn < turns; turn++) {
    for (const { name, ends } of sessions) ends.push(await turnMs(isopod, name));
  }
  return Object.fromEntries(sessions.map(({ messages, ends }) => [messages, rounded(quantile(ends, 0.5))]));
}

async function turnMs(contender: Contender, session: string): Promise<number> {
  const { sentAt, endAt } = await contender.turn(session);
  await sleep(PAUSE_MS);
  return endAt - sentAt;
}
