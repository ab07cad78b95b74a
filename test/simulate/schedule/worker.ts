import { dispatchDue } from "../../../src/events/due-slots.ts";
import { consumeQueue } from "../../../src/events/queue.ts";
import { knowConfiguration } from "../../../src/services/current-config.ts";
import { type Fate, SimulatedWorld } from "./world.ts";

/** Minutes to simulate, one after the other, with what becomes of each. */
export interface Minutes {
  minutes: { at: number; fate: Fate }[];
}

let world: SimulatedWorld | undefined;

/** Simulates minutes of the clock over the real due logic, consumer and D1, and tells what has happened so far. */
export default {
  async fetch(request: Request, env: Env) {
    world ??= await SimulatedWorld.open(env);
    if (request.method === "GET") return Response.json(await world.report());
    const { minutes }: Minutes = await request.json();
    for (const { at, fate } of minutes) await simulate(world, at, fate);
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;

const MINUTE_MS = 60_000;

async function simulate(world: SimulatedWorld, at: number, fate: Fate): Promise<void> {
  world.begin(at, fate);
  if (fate !== "never") await tick(world, at);
  if (fate === "twice") await Promise.all([tick(world, at), tick(world, at)]);
  if (fate === "late") await tick(world, at - 5 * MINUTE_MS);
  await world.deliver((batch, context) => consumeQueue(batch, world.env, context));
}

/** What the handler of Cron Triggers does for the schedule. A tick that fails is left to the next one. */
async function tick(world: SimulatedWorld, at: number): Promise<void> {
  world.counts.ticks++;
  try {
    await knowConfiguration(world.env, Date.now());
    await dispatchDue(world.env, at);
  } catch (error) {
    if (!world.isAway) throw error;
  }
}
