import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { asked, call, finished, say, script, waitFor } from "./client.ts";

/** The lane `cron` of the Worker under test has two slots. */
const job = (name: string) => ({ sessionKey: `agent:main:cron:${name}` });

function holders(): Promise<{ runId: string }[]> {
  const lane = env.LANES.getByName("cron");
  return runInDurableObject(lane, (_, state) => state.storage.kv.get<{ runId: string }[]>("holders") ?? []);
}

test("no more runs work at once than the lane has slots, and all of them get their turn", async () => {
  await script("lane", [{ text: "done", delayMs: 500 }]);
  const runs = await Promise.all(["1", "2", "3", "4", "5"].map((name) => say("x", "lane", job(`cap-${name}`))));
  await waitFor(async () => (await asked("lane")).length === 2);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await asked("lane")).toHaveLength(2);
  for (const { runId } of runs) expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect(await asked("lane")).toHaveLength(5);
  await waitFor(async () => (await holders()).length === 0);
});

test("a lane without a cap is never asked", async () => {
  await script("lane-free", [{ text: "done" }]);
  await finished((await say("x", "lane-free", { sessionKey: "agent:main:hook:lane-free" })).runId);
  const held = await runInDurableObject(env.LANES.getByName("main"), (_, state) => state.storage.kv.get("holders"));
  expect(held).toBeUndefined();
});

test("a run that is stopped while it waits for a slot leaves the lane to others", async () => {
  await script("lane-stop", [{ hang: true }]);
  const busy = [await say("x", "lane-stop", job("stop-1")), await say("x", "lane-stop", job("stop-2"))];
  await waitFor(async () => (await asked("lane-stop")).length === 2);
  const waiting = await say("x", "lane-stop", job("stop-3"));
  await call("POST", `/v1/runs/${waiting.runId}/abort`);
  expect(await finished(waiting.runId)).toMatchObject({ status: "aborted" });
  for (const { runId } of busy) await call("POST", `/v1/runs/${runId}/abort`);
  await waitFor(async () => (await holders()).length === 0);
  expect(await asked("lane-stop")).toHaveLength(2);
});

test("a run that waits for a slot may run out of its time", async () => {
  await script("lane-late", [{ hang: true }]);
  const busy = [await say("x", "lane-late", job("late-1")), await say("x", "lane-late", job("late-2"))];
  await waitFor(async () => (await asked("lane-late")).length === 2);
  const waiting = await say("x", "lane-late", { ...job("late-3"), timeoutSeconds: 1 });
  expect(await finished(waiting.runId)).toMatchObject({ status: "timeout" });
  for (const { runId } of busy) await call("POST", `/v1/runs/${runId}/abort`);
  await waitFor(async () => (await holders()).length === 0);
});

test("a run whose object died goes on with the slot that it had", async () => {
  await script("lane-crash", [{ hang: true }, { text: "after" }]);
  const { runId } = await say("x", "lane-crash", job("crash"));
  await waitFor(async () => (await asked("lane-crash")).length === 1);
  const name = await objectNameOf(job("crash").sessionKey);
  await expect(
    runInDurableObject(env.SESSIONS.getByName(name), (_, state) => state.abort("killed by a test")),
  ).rejects.toThrow();
  expect((await holders()).map((holder) => holder.runId)).toEqual([runId]);
  await runDurableObjectAlarm(env.SESSIONS.getByName(name));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "after" });
  await waitFor(async () => (await holders()).length === 0);
});

test("the cap holds over the death of the lane", async () => {
  await script("lane-dead", [{ hang: true }, { hang: true }, { text: "third" }]);
  const busy = [await say("x", "lane-dead", job("dead-1")), await say("x", "lane-dead", job("dead-2"))];
  await waitFor(async () => (await asked("lane-dead")).length === 2);
  const lane = env.LANES.getByName("cron");
  await expect(runInDurableObject(lane, (_, state) => state.abort("killed by a test"))).rejects.toThrow();
  const third = await say("x", "lane-dead", job("dead-3"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await asked("lane-dead")).toHaveLength(2);
  for (const { runId } of busy) await call("POST", `/v1/runs/${runId}/abort`);
  expect(await finished(third.runId)).toMatchObject({ status: "ok", reply: "third" });
});
