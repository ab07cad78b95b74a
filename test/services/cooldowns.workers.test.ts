import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Cooldown } from "../../src/agent/failover.ts";
import { CooldownStore } from "../../src/services/cooldowns.ts";
import { TurnFailover } from "../../src/turn/failover.ts";

const NOW = 1_000_000;

/** Cooldowns as an isolate of its own knows them, and what it has yet to write. */
function isolate(database = env.DB) {
  const writes: Promise<unknown>[] = [];
  const cooldowns = new CooldownStore(database, new Map(), (promise) => void writes.push(promise));
  return { cooldowns, written: () => Promise.all(writes) };
}

const rest = (failures: number, until: number): Cooldown => ({ failures, kind: "rate_limit", until });

test("a cooldown that one isolate stores is read by another, and concurrent refusals count as one", async () => {
  const [here, there] = [isolate(), isolate()];
  here.cooldowns.note("at-once", rest(1, NOW + 60_000), NOW);
  there.cooldowns.note("at-once", rest(1, NOW + 60_100), NOW);
  await Promise.all([here.written(), there.written()]);
  const read = await isolate().cooldowns.of(["at-once", "nobody"], NOW);
  expect([...read]).toEqual([["at-once", expect.objectContaining(rest(1, NOW + 60_100))]]);
});

test("a late refusal neither shortens a cooldown nor lowers the count of refusals", async () => {
  const { cooldowns, written } = isolate();
  cooldowns.note("late", rest(3, NOW + 90_000), NOW);
  cooldowns.note("late", rest(1, NOW + 60_000), NOW);
  await written();
  expect((await isolate().cooldowns.of(["late"], NOW)).get("late")).toMatchObject(rest(3, NOW + 90_000));
});

test("an answer ends a model's cooldown, unless another session was refused meanwhile", async () => {
  const { cooldowns, written } = isolate();
  cooldowns.note("awake", rest(1, NOW - 1), NOW);
  cooldowns.note("asleep", rest(1, NOW + 60_000), NOW);
  await written();
  cooldowns.forget(["awake", "asleep"], NOW);
  await written();
  expect([...(await isolate().cooldowns.of(["awake", "asleep"], NOW)).keys()]).toEqual(["asleep"]);
});

test("cooldowns that were read are used for some seconds, and then D1 is asked again", async () => {
  const [reader, writer] = [isolate(), isolate()];
  expect((await reader.cooldowns.of(["fresh"], NOW)).size).toBe(0);
  writer.cooldowns.note("fresh", rest(1, NOW + 60_000), NOW);
  await writer.written();
  expect((await reader.cooldowns.of(["fresh"], NOW + 5_000)).size).toBe(0);
  expect((await reader.cooldowns.of(["fresh"], NOW + 20_000)).size).toBe(1);
});

test("without D1 no model has a cooldown and nothing fails", async () => {
  const { cooldowns, written } = isolate({} as D1Database);
  expect((await cooldowns.of(["out"], NOW)).size).toBe(0);
  cooldowns.note("out", rest(1, NOW + 60_000), NOW);
  cooldowns.forget(["out"], NOW);
  expect(await written()).toEqual([undefined, undefined]);
});

test("D1 is not asked for cooldowns when there is no other model", async () => {
  const calls: string[] = [];
  const watched = new Proxy({} as D1Database, { get: (_, name) => void calls.push(String(name)) });
  const model = { ref: "p/a", contextWindow: 1, maxOutputTokens: 1, stream: () => ({}) as never };
  const { cooldowns } = isolate(watched);
  const alone = {
    candidates: [{ model }],
    patience: { times: 0, backoffMs: 1, waitsForLimits: true },
    deadline: undefined,
    cooldowns,
  };
  const failover = new TurnFailover(alone);
  expect(await failover.lead()).toBe(model);
  failover.coolDown("p/a", rest(1, NOW));
  failover.answered({ model }, []);
  expect(calls).toEqual([]);
});
