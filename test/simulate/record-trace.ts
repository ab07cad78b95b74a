import { setTimeout as sleep } from "node:timers/promises";
import type { OperationCounts } from "../../src/services/operations.ts";
import { isopodContender } from "../bench/contenders.ts";
import { countsOf } from "../bench/count.ts";
import { modelConfig, Stage, TOKEN } from "../bench/stage.ts";
import { type Chain, chainOf, type Trace } from "./chain.ts";
import type { RecordedOperations } from "./cost.ts";

/** Long enough for all that a turn does by itself before it asks the model. */
const REMOTE_MS = 150;
/** What follows an answer is done by then. */
const SETTLE_MS = 2_500;
const LATER_MS = 70_000;

/** What is recorded of the real Worker. */
export interface Recorded {
  chains: Trace;
  operations: RecordedOperations;
}

/**
 * Records what turns of the real Worker wait for: R2 and D1 answer late, and what was answered before the model was asked
 * was waited for. And what a warm turn, and one with a tool call, use.
 */
export async function recordTrace(): Promise<Recorded> {
  const stage = await Stage.open();
  stage.closeOnSignal();
  try {
    const models = await stage.modelServer();
    const isopod = await stage.isopod(modelConfig(models.url));
    await stage.reachable(isopod);
    // An agent that has its files, as after its first day.
    await isopodContender(isopod.url, TOKEN).turn("first");
    await sleep(SETTLE_MS);
    await isopod.stop();
    const counting = await stage.counting();
    await reachable(counting.url);
    const chains = await recordChains(counting.url);
    return { chains, operations: await recordOperations(counting.url, models.url) };
  } finally {
    await stage.close();
  }
}

async function recordChains(url: string): Promise<Trace> {
  const { turn } = isopodContender(url, TOKEN);
  const recorded = async (session: string, laterMs: number): Promise<Chain> => {
    await countsOf(url, { remoteMs: REMOTE_MS, laterMs });
    await turn(session);
    const { waitedFor } = await countsOf(url);
    await sleep(SETTLE_MS);
    return chainOf(waitedFor);
  };
  const cold = await recorded("cold", 0);
  await recorded("cold", 0);
  const warm = await recorded("cold", 0);
  const later = await recorded("cold", LATER_MS);
  return { warm, later, new: await recorded("new", LATER_MS), cold };
}

async function recordOperations(url: string, models: string): Promise<RecordedOperations> {
  await countsOf(url, { remoteMs: 0 });
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
  const used = async (replies: object[]): Promise<OperationCounts> => {
    await fetch(`${models}/control/operations`, { method: "PUT", body: JSON.stringify({ replies }) });
    const message = {
      message: "How are you today?",
      sessionKey: "agent:main:hook:operations",
      model: "bench/operations",
    };
    const accepted = await fetch(`${url}/v1/agent`, { method: "POST", headers, body: JSON.stringify(message) });
    const { runId }: { runId: string } = JSON.parse(await accepted.text());
    await sleep(SETTLE_MS);
    const view = await fetch(`${url}/v1/runs/${runId}`, { headers });
    const { objectMs: _, dollars: __, ...counts } = JSON.parse(await view.text()).operations;
    return counts;
  };
  const answer = { text: "I am well." };
  await used([answer]);
  await used([answer]);
  const warm = await used([answer]);
  const call = { name: "read", args: { path: "USER.md" } };
  return { warm, withTool: await used([{ calls: [call] }, answer]) };
}

/** Waits until the Worker answers, with nothing of Isopod evaluated beyond its start: the first turn shall find it cold. */
async function reachable(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const isThere = await countsOf(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (tries > 600) throw new Error(`${url} does not answer.`);
    await sleep(100);
  }
}
