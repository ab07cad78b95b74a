import { setTimeout as sleep } from "node:timers/promises";
import { setAnswers } from "./answers.ts";
import { type Contender, type ContenderName, type Seen, scenarioOf } from "./contenders.ts";
import { instant } from "./exchange.ts";
import type { Plan } from "./plan.ts";
import { quantile, rounded, type Spread, spread } from "./statistics.ts";

/** Between two turns in a sequence, so that what one contender does after its turn is not the next one's time. */
const PAUSE_MS = 40;
/** The same between two rounds of many sessions. */
const SETTLE_MS = 500;

/** How long after the request was sent things happened, in milliseconds. */
export interface Latencies {
  firstModelRequest: Spread;
  firstToken: Spread;
  turnEnd: Spread;
}

/** What a contender did under one load. */
export type Measured<Result> = Record<ContenderName, Result>;

/** One session each, turn by turn in turns: a machine that gets slower gets slower for all. */
export async function runSequential(
  contenders: readonly Contender[],
  modelServer: string,
  { warmUp, turns }: Plan["sequential"],
): Promise<Measured<Latencies>> {
  await setAnswers(modelServer, contenders, ["one"]);
  await inTurns(contenders, warmUp, "one");
  await setAnswers(modelServer, contenders, ["one"]);
  const seen = await inTurns(contenders, turns, "one");
  return forEach(contenders, async ({ name }) => latencies(seen[name], await arrivals(modelServer, name, "one")));
}

async function inTurns(contenders: readonly Contender[], turns: number, session: string): Promise<Measured<Seen[]>> {
  const seen: Measured<Seen[]> = { isopod: [], floor: [], durableFloor: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const contender of contenders) {
      seen[contender.name].push(await contender.turn(session));
      await sleep(PAUSE_MS);
    }
  }
  return seen;
}

/** What a contender does with many sessions at once. */
export interface Throughput {
  /** Median of the rounds. */
  turnsPerSecond: number;
  turnEnd: Spread;
}

/** Many sessions at once, each turn by turn; the contenders take rounds. */
export async function runParallel(
  contenders: readonly Contender[],
  modelServer: string,
  { sessions: count, turns, rounds }: Plan["parallel"],
): Promise<Measured<Throughput>> {
  const sessions = Array.from({ length: count }, (_, n) => `many${n}`);
  await setAnswers(modelServer, contenders, sessions);
  for (const contender of contenders) await atOnce(contender, sessions, 1);
  const rates: Measured<number[]> = { isopod: [], floor: [], durableFloor: [] };
  const ends: Measured<number[]> = { isopod: [], floor: [], durableFloor: [] };
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const startedAt = instant();
      const seen = await atOnce(contender, sessions, turns);
      rates[contender.name].push((seen.length * 1000) / (Math.max(...seen.map((turn) => turn.endAt)) - startedAt));
      ends[contender.name].push(...seen.map((turn) => turn.endAt - turn.sentAt));
      await sleep(SETTLE_MS);
    }
  }
  return forEach(contenders, ({ name }) => ({
    turnsPerSecond: rounded(quantile(rates[name], 0.5)),
    turnEnd: spread(ends[name]),
  }));
}

async function atOnce(contender: Contender, sessions: readonly string[], turns: number): Promise<Seen[]> {
  const all = sessions.map(async (session) => {
    const seen: Seen[] = [];
    for (let turn = 0; turn < turns; turn++) seen.push(await contender.turn(session));
    return seen;
  });
  return (await Promise.all(all)).flat();
}

function latencies(seen: readonly Seen[], arrivedAt: readonly number[]): Latencies {
  if (arrivedAt.length !== seen.length)
    throw new Error(`${seen.length} turns made ${arrivedAt.length} model requests.`);
  return {
    firstModelRequest: spread(seen.map((turn, n) => (arrivedAt[n] ?? Number.NaN) - turn.sentAt)),
    firstToken: spread(seen.map((turn) => turn.firstTokenAt - turn.sentAt)),
    turnEnd: spread(seen.map((turn) => turn.endAt - turn.sentAt)),
  };
}

/** When the requests of a session reached the model, in order. */
async function arrivals(modelServer: string, name: ContenderName, session: string): Promise<number[]> {
  const response = await fetch(`${modelServer}/control/${scenarioOf(name, session)}/requests`);
  const requests: { at: number }[] = JSON.parse(await response.text());
  return requests.map((request) => request.at);
}

async function forEach<Result>(
  contenders: readonly Contender[],
  result: (contender: Contender) => Result | Promise<Result>,
): Promise<Measured<Result>> {
  const entries = await Promise.all(
    contenders.map(async (contender) => [contender.name, await result(contender)] as const),
  );
  return Object.fromEntries(entries) as Measured<Result>;
}
