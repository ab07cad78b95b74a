import { env, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { call, finished, say, script, waitFor } from "./client.ts";
import { evict, session, stubOf } from "./session-lab.ts";

afterEach(() => vi.restoreAllMocks());

test("a run that ends while the index cannot be reached is listed later, also when another message came meanwhile", async () => {
  await script("unlisted", [{ text: "one" }, { text: "two" }]);
  const telling = vi.spyOn(env.DB, "batch").mockImplementationOnce(async () => {
    await scheduler.wait(300);
    throw new Error("D1 is down");
  });
  const first = await say("1", "unlisted", session("unlisted"));
  await finished(first.runId);
  await waitFor(async () => telling.mock.calls.length === 1);
  const second = await say("2", "unlisted", session("unlisted"));
  await finished(second.runId);
  await Promise.allSettled(telling.mock.results.map(({ value }) => value));
  await evict("unlisted");
  await runDurableObjectAlarm(await stubOf("unlisted"));
  const listed = async () => {
    const answer = await call("GET", `/v1/sessions/${session("unlisted").sessionKey}/runs`);
    return (await answer.json<{ runs: { id: string }[] }>()).runs.map(({ id }) => id);
  };
  await waitFor(async () => (await listed()).includes(second.runId));
  expect(await listed()).toContain(first.runId);
});
