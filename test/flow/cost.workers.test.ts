import { expect, test } from "vitest";
import { call, env, eventsOf, finished, say, script, waitFor } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** A session that knows what these scenarios of the fake provider cost. */
async function costly(name: string, costs: Record<string, object>, [primary, ...fallbacks]: string[] = []) {
  const models = Object.entries(costs).map(([id, cost]) => ({ id, cost }));
  await configure(name, (config) => {
    const { providers } = config.models;
    const agents = { ...config.agents, defaults: { ...config.agents.defaults, model: { primary, fallbacks } } };
    const fake = { ...providers.fake, models };
    return { ...config, ...(primary && { agents }), models: { providers: { ...providers, fake } } };
  });
  return session(name);
}

test("a run says what it cost, over all of its calls, and the index knows it", async () => {
  const { sessionKey } = await costly("cost", { cost: { input: 2, output: 10, cacheRead: 0.2 } });
  await script("cost", [
    { calls: [{ name: "ls", args: {} }], usage: { input: 1000, output: 50, cacheRead: 500 } },
    { text: "Done.", usage: { input: 2000, output: 100, cacheRead: 1000 } },
  ]);
  const { runId } = await say("x", "cost", { sessionKey });
  const micros = 500 * 2 + 500 * 0.2 + 50 * 10 + (1000 * 2 + 1000 * 0.2 + 100 * 10);
  expect(await finished(runId)).toMatchObject({ status: "ok", costUsd: micros / 1e6, usage: { costMicros: micros } });
  const end = (await eventsOf(runId)).at(-1);
  expect(end).toMatchObject({ type: "lifecycle", phase: "end", usage: { costMicros: micros } });
  const indexed = async () =>
    (await call("GET", `/v1/sessions/${sessionKey}/runs`)).json<{ runs: { costMicros: number }[] }>();
  await waitFor(async () => (await indexed()).runs[0]?.costMicros === micros);
});

test("a reply costs what the model costs that gave it, also where it stood in for another", async () => {
  const { sessionKey } = await costly("cost-over", { "cost-over": { input: 100 }, "cost-under": { input: 1 } }, [
    "fake/cost-over",
    "fake/cost-under",
  ]);
  await script("cost-over", [
    { calls: [{ name: "ls", args: {} }], usage: { input: 1000, output: 0 } },
    { status: 401 },
  ]);
  await script("cost-under", [{ text: "Done.", usage: { input: 1000, output: 0 } }]);
  const { runId } = await say("x", "", { sessionKey, model: undefined });
  expect(await finished(runId)).toMatchObject({ status: "ok", costUsd: 0.101, model: "fake/cost-under" });
});

test("a run of a model without a price has an unknown cost, not a cost of zero", async () => {
  await script("cost-unknown", [{ text: "ok" }]);
  const { runId } = await say("x", "cost-unknown", session("cost-unknown"));
  expect(await finished(runId)).not.toHaveProperty("costUsd");
  const free = await call("POST", "/v1/agent", { message: "hi", model: "offline/rules", ...session("cost-free") });
  expect(await finished((await free.json<{ runId: string }>()).runId)).toMatchObject({ status: "ok", costUsd: 0 });
  await waitFor(async () => {
    const row = await env.DB.prepare("SELECT cost_micros FROM runs WHERE id = ?").bind(runId).first();
    return row !== null && row.cost_micros === null;
  });
});

test("tokens that the model does not tell are estimated, so that they count", async () => {
  await script("untold-usage", [{ text: "word ".repeat(400), usage: { input: 0, output: 0 } }]);
  const { runId } = await say("How many?", "untold-usage", session("untold-usage"));
  const { usage } = (await finished(runId)) as any;
  expect(usage.input).toBeGreaterThan(2000);
  expect(usage.output).toBeGreaterThan(300);
  expect(usage.output).toBeLessThan(700);
});
