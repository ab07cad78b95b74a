import { expect, test } from "vitest";
import type { Kill } from "./killer.ts";
import { answerTimes } from "./report.ts";

type Evidence = Parameters<typeof answerTimes>[0];

test("an answer is waited for while a process is up, where a kill has left a turn open", () => {
  const kills = [kill(1000, 3000), kill(4000, 7000), kill(20_000, 22_000)];
  const turns = [turn(500, 7400), turn(21_000, 30_000)];
  expect(answerTimes(evidence(turns, kills))).toEqual([1400, 400]);
});

function kill(killedAt: number, readyAt: number): Kill {
  return { number: 1, aim: "anything", inside: { model: [], tool: [], delivery: [], commit: [] }, killedAt, readyAt };
}

function turn(acceptedAt: number, endedAt: number) {
  return { status: "ok", acceptedAt, endedAt };
}

function evidence(runs: readonly ReturnType<typeof turn>[], kills: readonly Kill[]): Evidence {
  return { sessions: [{ runs }], kills } as unknown as Evidence;
}
