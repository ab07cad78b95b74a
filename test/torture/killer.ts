import { setTimeout as sleep } from "node:timers/promises";
import type { Isopod, Restart } from "./isopod.ts";
import { between, randomOf, weighted } from "./random.ts";
import type { Place, Watch } from "./watch.ts";

/** What a kill aims at. `recovery`: soon after a restart, while what was interrupted is taken up again. */
export type Aim = Place | "recovery" | "anything";

/** One kill: what it aimed at, and what was going on outside when it struck. */
export interface Kill extends Restart {
  number: number;
  aim: Aim;
  inside: Record<Place, string[]>;
}

/** Nine in ten aim at the inside of a step. */
const AIMS: Record<Aim, number> = { model: 28, tool: 26, commit: 18, delivery: 14, recovery: 9, anything: 5 };
/** How far into its place a kill goes, at most, in milliseconds. */
const DEPTH_MS: Record<Place, number> = { model: 200, tool: 70, delivery: 40, commit: 8 };
const WAIT_MS = 2000;
const TRIES = 4;
/** How long a kill waits for models to be asked again, so that a slow machine makes progress between two kills. */
const RESUMED_WITHIN_MS = 15_000;
/**
 * How long the whole process takes to start again. A machine on which it takes longer is given more time between two
 * kills: steps take longer there, too.
 */
const USUAL_RESTART_MS = 3000;

/** Who sends the messages, as the killer sees it. */
export interface Prey {
  /** Sends a message that leads to a place, because nothing goes there. */
  lure(place: Place): void;
  /** Called when it is dead, before it starts again. */
  onDeath(): void;
  onKill(kill: Kill): void;
}

/** Kills Isopod so many times, each at a moment that is drawn from the seed, and tells of each as soon as it is back. */
export async function killRepeatedly(
  isopod: Isopod,
  watch: Watch,
  { seed, kills }: { seed: number; kills: number },
  { lure, onDeath, onKill }: Prey,
): Promise<void> {
  const random = randomOf(seed, "kills");
  let slowness = 1;
  let resumedAt = 0;
  for (let number = 1; number <= kills; number++) {
    const aim = number === 1 ? "model" : weighted(random, AIMS);
    if (aim === "recovery") await sleep(between(random, 0, 400) * slowness);
    else {
      await untilAsked(watch, resumedAt);
      await sleep(between(random, 500, 1800) * slowness);
    }
    if (aim !== "recovery" && aim !== "anything") await arrive(watch, aim, random, lure);
    const inside = watch.look();
    resumedAt = watch.modelRequests + inside.model.length + inside.tool.length;
    const { killedAt, readyAt } = await isopod.kill(onDeath);
    slowness = Math.max(1, (readyAt - killedAt) / USUAL_RESTART_MS);
    onKill({ number, aim, inside, killedAt, readyAt });
  }
}

/** Waits until models have got this many requests in all; new messages count, too. */
async function untilAsked(watch: Watch, requests: number): Promise<void> {
  for (const until = performance.now() + RESUMED_WITHIN_MS; watch.modelRequests < requests; ) {
    const left = until - performance.now();
    if (left <= 0) return;
    await watch.next("model", left);
  }
}

/** Waits until something is in a place and then some, so that a kill strikes within. */
async function arrive(watch: Watch, place: Place, random: () => number, lure: Prey["lure"]): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (watch.isIdle || place === "delivery") lure(place);
    await watch.next(place, WAIT_MS);
    await sleep(between(random, 0, DEPTH_MS[place]));
    if (watch.look()[place].length > 0) return;
  }
}

/** Where a kill struck: where it aimed if something was there, else where anything was. */
export function placeOf({ aim, inside }: Kill): Place | "outside" {
  const places: Place[] = ["tool", "delivery", "model", "commit"];
  return (
    places.find((place) => place === aim && inside[place].length > 0) ??
    places.find((place) => inside[place].length > 0) ??
    "outside"
  );
}
