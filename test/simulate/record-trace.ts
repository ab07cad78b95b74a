import { setTimeout as sleep } from "node:timers/promises";
import { isopodContender } from "../bench/contenders.ts";
import { countsOf } from "../bench/count.ts";
import { modelConfig, Stage, TOKEN } from "../bench/stage.ts";
import { type Chain, chainOf, type Trace } from "./chain.ts";

/** Long enough for all that a turn does by itself before it asks the model. */
const REMOTE_MS = 150;
/** What follows an answer is done by then. */
const SETTLE_MS = 2_500;
const LATER_MS = 70_000;

/** Records what turns of the real Worker wait for: R2 and D1 answer late, and what was answered before the model was asked was waited for. */
export async function recordTrace(): Promise<Trace> {
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
    const { turn } = isopodContender(counting.url, TOKEN);
    const recorded = async (session: string, laterMs: number): Promise<Chain> => {
      await countsOf(counting.url, { remoteMs: REMOTE_MS, laterMs });
      await turn(session);
      const { waitedFor } = await countsOf(counting.url);
      await sleep(SETTLE_MS);
      return chainOf(waitedFor);
    };
    const cold = await recorded("cold", 0);
    await recorded("cold", 0);
    const warm = await recorded("cold", 0);
    const later = await recorded("cold", LATER_MS);
    return { warm, later, new: await recorded("new", LATER_MS), cold };
  } finally {
    await stage.close();
  }
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
