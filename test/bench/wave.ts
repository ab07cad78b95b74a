import { setTimeout as sleep } from "node:timers/promises";
import { setAnswers } from "./answers.ts";
import { isopodContender } from "./contenders.ts";
import { modelConfig, type Stage, TOKEN } from "./stage.ts";
import { type Spread, spread } from "./statistics.ts";

/** Agents whose heartbeats are let run at once, and sessions of people who write meanwhile. */
const BEATS = 400;
const SESSIONS = 50;
/** Turns of people that are measured at rest, and while heartbeats run. */
const TURNS = 100;
const SETTLE_MS = 3_000;

/** How long the turns of people take at rest, and beside a wave of heartbeats, in milliseconds. */
export interface WaveFindings {
  rest: Spread;
  wave: Spread;
  /** Of the medians. */
  ratio: number;
  /** Heartbeats that ran while people were measured. */
  beats: number;
}

/** Has people write while a wave of heartbeats runs. */
export async function measureWave(stage: Stage): Promise<WaveFindings> {
  const models = await stage.modelServer();
  const list = Array.from({ length: BEATS }, (_, n) => ({
    id: `beat-${n}`,
    heartbeat: { every: "24h", target: "none", model: "bench/beat" },
  }));
  const base = modelConfig(models.url) as { agents: object };
  const isopod = await stage.isopod({ ...base, agents: { ...base.agents, list: [{ id: "main" }, ...list] } });
  await stage.reachable(isopod);
  const people = isopodContender(isopod.url, TOKEN);
  const sessions = Array.from({ length: SESSIONS }, (_, n) => `wave${n}`);
  await setAnswers(models.url, [people], sessions);
  const turns = async () => {
    const took: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const { sentAt, endAt } = await people.turn(sessions[turn % SESSIONS] ?? "wave0");
      took.push(endAt - sentAt);
    }
    return took;
  };
  await turns();
  await sleep(SETTLE_MS);
  const rest = spread(await turns());
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
  // A file with something to do: without one the agent would be asked as well, and with an empty one it would not.
  for (const { id } of list) {
    await fetch(`${isopod.url}/v1/agents/${id}/workspace/HEARTBEAT.md`, {
      ...{ method: "PUT", body: "- Tell the time.\n" },
      headers: { ...headers, "Content-Type": "text/markdown" },
    });
  }
  const asked = async () => {
    const response = await fetch(`${models.url}/control/beat/requests`);
    return ((await response.json()) as unknown[]).length;
  };
  const wake = async (id: string) => {
    const response = await fetch(`${isopod.url}/v1/heartbeats/${id}/wake`, { method: "POST", headers, body: "{}" });
    if (!response.ok) throw new Error(`waking ${id} answered ${response.status}`);
    await response.body?.cancel();
  };
  const before = await asked();
  const waking = (async () => {
    for (const { id } of list) await wake(id);
  })();
  const wave = spread(await turns());
  const beats = (await asked()) - before;
  await waking;
  await Promise.all([isopod.stop(), models.stop()]);
  return { rest, wave, ratio: Math.round((wave.p50 / rest.p50) * 100) / 100, beats };
}
