import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Bucket } from "../../src/budgets/budget-state.ts";
import { createApp } from "../../src/http/app.ts";
import { Budget } from "../../src/session/budget.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { smallWindow } from "./config.ts";
import { pages, talked } from "./context-lab.ts";
import { arm, configure, dumpTool, session, sql, stubOf } from "./session-lab.ts";

type Changed = { budgets: object; cost?: object; contextWindow?: number; defaults?: object };

/** The Worker's configuration with budgets, and a price for every scenario of the fake provider that is named. */
function withBudgets(config: any, scenario: string, { budgets, defaults = {}, ...model }: Changed) {
  const fake = { ...config.models.providers.fake, models: [{ id: scenario, ...model }] };
  const agents = { ...config.agents, defaults: { ...config.agents.defaults, ...defaults } };
  return { ...config, agents, budgets, models: { providers: { ...config.models.providers, fake } } };
}

/** A session whose Worker has budgets; `scenario` is the one whose price is known. */
async function capped(name: string, changed: Changed, scenario = name) {
  await configure(name, (config) => withBudgets(config, scenario, changed));
  return session(name);
}

const AGENT = "agent:main";

/** What a budget has stored: its buckets put together. */
async function storedIn(scope: string) {
  const buckets = await runInDurableObject(env.BUDGETS.getByName(scope), (_, { storage }) =>
    [...storage.kv.list<Bucket>()].map(([, bucket]) => bucket),
  );
  const sum = (of: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + of(bucket), 0);
  return {
    runs: sum(({ runs }) => runs.length),
    tokens: sum(({ tokens }) => tokens),
    micros: sum(({ micros }) => micros),
    open: sum(({ open }) => open.filter(({ lapsesAt }) => lapsesAt > Date.now()).length),
  };
}

beforeEach(async () => {
  for (const scope of [AGENT, "global"]) {
    await runInDurableObject(env.BUDGETS.getByName(scope), (_, { storage }) => storage.deleteAll());
    await evictDurableObject(env.BUDGETS.getByName(scope));
  }
});

describe("a cap on runs", () => {
  test("lets so many begin and tells the next one when there is room, without a model being asked", async () => {
    const place = await capped("runs", { budgets: { perAgent: { runsPerHour: 2 } } });
    await script("runs", [{ text: "ok" }]);
    for (const _ of [1, 2])
      expect(await finished((await say("x", "runs", place)).runId)).toMatchObject({ status: "ok" });
    const refused: any = await finished((await say("x", "runs", place)).runId);
    expect(refused).toMatchObject({ status: "error", error: { code: "budget" } });
    expect(refused.error.message).toMatch(
      /the agent `main` allows 2 runs an hour.* room again .*at \d+:\d\d \(UTC\)\.$/,
    );
    expect(await asked("runs")).toHaveLength(2);
    expect(await storedIn(AGENT)).toEqual({ runs: 2, tokens: 0, micros: 0, open: 0 });
  });

  test("counts a run once, however many models it asks and however often its object dies", async () => {
    const place = await capped("runs-once", { budgets: { perAgent: { runsPerDay: 1 } } });
    await script("runs-once", [{ calls: [{ name: "ls", args: {} }] }, { hang: true }, { text: "Done." }]);
    const { runId } = await say("x", "runs-once", place);
    await waitFor(async () => (await asked("runs-once")).length === 2);
    const stub = await stubOf("runs-once");
    await expect(runInDurableObject(stub, (_, state) => state.abort("killed by a test"))).rejects.toThrow("killed");
    await capped("runs-once", { budgets: { perAgent: { runsPerDay: 1 } } });
    await runDurableObjectAlarm(await stubOf("runs-once"));
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Done." });
    expect(await storedIn(AGENT)).toMatchObject({ runs: 1 });
  });

  test("is not passed by twenty sessions at the same time", async () => {
    await script("runs-many", [{ text: "ok" }]);
    const places = await Promise.all(
      Array.from({ length: 20 }, (_, n) => capped(`runs-many-${n}`, { budgets: { global: { runsPerHour: 5 } } })),
    );
    const runs = await Promise.all(places.map((place) => say("x", "runs-many", place)));
    const ends: any[] = await Promise.all(runs.map(({ runId }) => finished(runId)));
    expect(ends.filter(({ status }) => status === "ok")).toHaveLength(5);
    const refused = ends.filter(({ error }) => error?.code === "budget");
    expect(refused).toHaveLength(15);
    expect(refused[0].error.message).toContain("all agents together allows 5 runs an hour");
    expect(await asked("runs-many")).toHaveLength(5);
  });

  test("of all agents together leaves a run that it refuses uncounted in its agent's own", async () => {
    const budgets = { global: { runsPerHour: 0 }, perAgent: { runsPerHour: 5, tokensPerHour: 90_000 } };
    const place = await capped("runs-both", { budgets });
    expect(await finished((await say("x", "runs-both", place)).runId)).toMatchObject({ error: { code: "budget" } });
    expect(await asked("runs-both")).toHaveLength(0);
    expect(await storedIn(AGENT)).toEqual({ runs: 0, tokens: 0, micros: 0, open: 0 });
  });

  test("of one agent does not limit another agent", async () => {
    const place = await capped("runs-other", { budgets: { perAgent: { runsPerHour: 0 }, agents: { main: {} } } });
    await script("runs-other", [{ text: "ok" }]);
    expect(await finished((await say("x", "runs-other", place)).runId)).toMatchObject({ status: "ok" });
  });

  test("does not count commands", async () => {
    const place = await capped("runs-command", { budgets: { perAgent: { runsPerHour: 0 } } });
    const { runId } = await say("/status", "runs-command", place);
    expect(await finished(runId)).toMatchObject({ status: "ok" });
    expect(await storedIn(AGENT)).toMatchObject({ runs: 0 });
  });
});

describe("a cap on tokens", () => {
  const tokensPerHour = 30_000;

  test("counts what was used, and refuses the call for which there is no room", async () => {
    const place = await capped("tokens", { budgets: { perAgent: { tokensPerHour } } });
    await script("tokens", [{ text: "ok", usage: { input: 29_000, output: 500 } }]);
    expect(await finished((await say("x", "tokens", place)).runId)).toMatchObject({ status: "ok" });
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    expect(await storedIn(AGENT)).toMatchObject({ tokens: 29_500 });
    const refused: any = await finished((await say("x", "tokens", place)).runId);
    expect(refused).toMatchObject({ status: "error", error: { code: "budget" } });
    expect(refused.error.message).toContain("30,000 tokens an hour");
    expect(await asked("tokens")).toHaveLength(1);
  });

  test("ends a run in its midst: what was said and done stays, and the model is not asked again", async () => {
    const place = await capped("tokens-mid", { budgets: { global: { tokensPerDay: tokensPerHour } } });
    await script("tokens-mid", [
      { text: "First I look.", calls: [{ name: "ls", args: {} }], usage: { input: 29_000, output: 100 } },
      { text: "never" },
    ]);
    const { runId } = await say("x", "tokens-mid", place);
    expect(await finished(runId)).toMatchObject({
      status: "error",
      error: { code: "budget" },
      usage: { input: 29_000 },
    });
    const { messages } = await historyOf(place.sessionKey);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
    expect(await asked("tokens-mid")).toHaveLength(1);
  });

  test("is not passed by calls at the same time, because each sets aside what it is likely to use", async () => {
    await script("tokens-many", [{ text: "ok", delayMs: 150, usage: { input: 1500, output: 500 } }]);
    const places = await Promise.all(
      Array.from({ length: 20 }, (_, n) => capped(`tokens-many-${n}`, { budgets: { global: { tokensPerHour } } })),
    );
    const runs = await Promise.all(places.map((place) => say("x", "tokens-many", place)));
    const ends: any[] = await Promise.all(runs.map(({ runId }) => finished(runId)));
    const done = ends.filter(({ status }) => status === "ok").length;
    expect(ends.filter(({ error }) => error?.code === "budget")).toHaveLength(20 - done);
    expect(await asked("tokens-many")).toHaveLength(done);
    await waitFor(async () => (await storedIn("global")).open === 0);
    const { tokens } = await storedIn("global");
    expect(tokens).toBe(done * 2000);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(tokensPerHour);
  });

  test("releases the reservation of a call whose object died when the next incarnation takes over", async () => {
    const budgets = { perAgent: { tokensPerHour: 12_000 } };
    const place = await capped("tokens-crash", { budgets });
    await script("tokens-crash", [{ hang: true }, { text: "After all.", usage: { input: 100, output: 10 } }]);
    const { runId } = await say("x", "tokens-crash", place);
    await waitFor(async () => (await asked("tokens-crash")).length === 1);
    expect(await storedIn(AGENT)).toMatchObject({ open: 1, runs: 1 });
    const stub = await stubOf("tokens-crash");
    await expect(runInDurableObject(stub, (_, state) => state.abort("killed by a test"))).rejects.toThrow("killed");
    await capped("tokens-crash", { budgets });
    await runDurableObjectAlarm(await stubOf("tokens-crash"));
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "After all." });
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    expect(await storedIn(AGENT)).toEqual({ runs: 1, tokens: 110, micros: 0, open: 0 });
  });

  test("holds over the death of the budget's own object", async () => {
    const place = await capped("tokens-dead", { budgets: { perAgent: { tokensPerHour } } });
    await script("tokens-dead", [{ text: "ok", usage: { input: 29_900, output: 10 } }]);
    await finished((await say("x", "tokens-dead", place)).runId);
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    await evictDurableObject(env.BUDGETS.getByName(AGENT));
    expect(await finished((await say("x", "tokens-dead", place)).runId)).toMatchObject({ error: { code: "budget" } });
  });

  test("counts an estimate for a call whose usage never arrived because the client disconnected", async () => {
    const place = await capped("tokens-stop", { budgets: { perAgent: { tokensPerHour } } });
    await script("tokens-stop", [{ text: "Once upon a time", hang: true }]);
    const { runId } = await say("x", "tokens-stop", place);
    await waitFor(async () => (await asked("tokens-stop")).length === 1);
    await call("POST", `/v1/runs/${runId}/abort`);
    expect(await finished(runId)).toMatchObject({ status: "aborted" });
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    expect((await storedIn(AGENT)).tokens).toBeGreaterThan(500);
  });

  test("does not count a call that failed before anything was said", async () => {
    const place = await capped("tokens-fail", { budgets: { perAgent: { tokensPerHour } } });
    await script("tokens-fail", [{ status: 400, body: { error: { message: "no" } } }]);
    expect(await finished((await say("x", "tokens-fail", place)).runId)).toMatchObject({ status: "error" });
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    expect(await storedIn(AGENT)).toMatchObject({ runs: 1, tokens: 0 });
  });

  test("reserves nothing while a run waits for approval", async () => {
    const place = await capped("tokens-wait", { budgets: { perAgent: { tokensPerHour } } });
    await arm("tokens-wait", [{ ...dumpTool(() => "done"), approval: () => "May I?" }]);
    await script("tokens-wait", [{ calls: [{ name: "dump", args: {} }] }, { text: "Done." }]);
    const { runId } = await say("x", "tokens-wait", place);
    const waiting = async (): Promise<any> => (await call("GET", `/v1/runs/${runId}`)).json();
    await waitFor(async () => (await waiting()).status === "waiting_approval");
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    await call("POST", `/v1/approvals/${(await waiting()).approvals[0].id}`, { decision: "allow-once" });
    expect(await finished(runId)).toMatchObject({ status: "ok" });
    expect(await storedIn(AGENT)).toMatchObject({ runs: 1 });
  });
});

test("the tokens of a summary count like any call, in the run's cost and in its budgets", async () => {
  await talked("small-paid", pages(8, 1600));
  const budgets = { perAgent: { tokensPerDay: 900_000 }, global: { usdPerDay: 9 } };
  const place = await capped("small-paid", { budgets, cost: { input: 1, output: 1 }, contextWindow: smallWindow });
  await script("small-paid", [
    { text: "Eight questions.", usage: { input: 9000, output: 1000 } },
    { text: "Answer.", usage: { input: 4000, output: 200 } },
  ]);
  const { runId } = await say("And now?", "small-paid", place);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer.", costUsd: 0.0142 });
  await waitFor(async () => (await storedIn(AGENT)).open + (await storedIn("global")).open === 0);
  expect(await storedIn(AGENT)).toMatchObject({ runs: 1, tokens: 14_200 });
  expect(await storedIn("global")).toMatchObject({ runs: 1, micros: 14_200 });
});

describe("a cap on money", () => {
  test("counts each call at its model's price", async () => {
    const cost = { input: 10, output: 50 };
    const place = await capped("usd", { budgets: { perAgent: { usdPerDay: 0.5 } }, cost });
    await script("usd", [{ text: "ok", usage: { input: 30_000, output: 2000 } }]);
    const run = await finished((await say("x", "usd", place)).runId);
    expect(run).toMatchObject({ status: "ok", costUsd: 0.4 });
    await waitFor(async () => (await storedIn(AGENT)).open === 0);
    expect(await storedIn(AGENT)).toMatchObject({ micros: 400_000 });
    const refused: any = await finished((await say("x", "usd", place)).runId);
    expect(refused).toMatchObject({ status: "error", error: { code: "budget" } });
    expect(refused.error.message).toContain("$0.50 a day");
    expect(await asked("usd")).toHaveLength(1);
  });

  test("refuses a model of which nobody has said what it costs, and says where to", async () => {
    const place = await capped("usd-unknown", { budgets: { global: { usdPerHour: 1 } } });
    const run: any = await finished((await say("x", "usd-unknown", place)).runId);
    expect(run).toMatchObject({ status: "error", error: { code: "not_configured" } });
    expect(run.error.message).toContain("models.providers.fake.models[]");
    expect(await asked("usd-unknown")).toHaveLength(0);
  });

  test("is no reason to ask another model", async () => {
    const defaults = { model: { primary: "fake/usd-over", fallbacks: ["fake/usd-under"] } };
    const place = await capped("usd-over", {
      budgets: { global: { usdPerHour: 0.001 } },
      cost: { input: 10 },
      defaults,
    });
    const { runId } = await say("x", "", { ...place, model: undefined });
    expect(await finished(runId)).toMatchObject({ status: "error", error: { code: "budget" } });
    expect([...(await asked("usd-over")), ...(await asked("usd-under"))]).toEqual([]);
  });

  test("lets through what costs nothing", async () => {
    const place = await capped("usd-free", { budgets: { global: { usdPerHour: 0 } } });
    const accepted = await call("POST", "/v1/agent", { message: "hi", model: "offline/rules", ...place });
    expect(await finished((await accepted.json<{ runId: string }>()).runId)).toMatchObject({
      status: "ok",
      costUsd: 0,
    });
  });
});

describe("a budget that does not answer", () => {
  const budgets = { perAgent: { runsPerHour: 9 } };

  test("allows nothing, and the run says so", async () => {
    const place = await capped("deaf-budget", { budgets });
    const claim = vi.spyOn(Budget.prototype, "claim").mockImplementation(() => fail());
    const run: any = await finished((await say("x", "deaf-budget", place)).runId);
    claim.mockRestore();
    expect(run).toMatchObject({ status: "error", error: { code: "budget" } });
    expect(run.error.message).toContain("cannot be asked");
    expect(await asked("deaf-budget")).toHaveLength(0);
  });

  test("is asked again", async () => {
    const place = await capped("deaf-once", { budgets });
    const claim = vi.spyOn(Budget.prototype, "claim").mockImplementationOnce(() => fail());
    const run = await finished((await say("x", "deaf-once", place)).runId);
    expect(claim).toHaveBeenCalledTimes(2);
    claim.mockRestore();
    expect(run).toMatchObject({ status: "ok" });
  });

  function fail(): never {
    throw new Error("The budget is away.");
  }
});

test("a person who wrote from a channel is told that the budget is used up", async () => {
  await capped("told", { budgets: { perAgent: { runsPerHour: 0 } } });
  const target = { channel: "telegram", accountId: "default", conversationId: "4242", kind: "direct" } as const;
  await runInDurableObject(await stubOf("told"), async (instance) => {
    const input = { text: "Hello", timeoutSeconds: 0, model: "fake/told" };
    instance.accept({ ...session("told"), agentId: "main", runId: "run_told", input, target });
    await instance.wait("run_told", 5000);
  });
  const [said] = await sql<{ text: string }>("told", "select text from outbox");
  expect(said?.text).toContain("allows 0 runs an hour");
});

test("budgets can be looked at: what is capped, spent, set aside, and when there is room", async () => {
  const budgets = { global: { usdPerDay: 5 }, perAgent: { runsPerHour: 1, tokensPerDay: 50_000 } };
  const cost = { input: 100, output: 100 };
  const place = await capped("look", { budgets, cost });
  await script("look", [{ text: "ok", usage: { input: 9000, output: 1000 } }]);
  await finished((await say("x", "look", place)).runId);
  await waitFor(async () => (await storedIn("global")).open === 0);
  const config = withBudgets(JSON.parse(env.ISOPOD_CONFIG ?? "{}"), "look", { budgets });
  const headers = { Authorization: "Bearer test-token" };
  const ask = { ...env, ISOPOD_CONFIG: JSON.stringify(config) };
  const seen: any = await (await createApp().request("/v1/budgets", { headers }, ask, executionContext())).json();
  expect(seen.budgets.map(({ scope }: any) => scope)).toEqual(["agent:main", "global", "agent:other", "agent:third"]);
  expect(seen.budgets[0].caps).toEqual([
    { cap: "runsPerHour", limit: 1, spent: 1, reserved: 0, isFull: true, roomAt: expect.any(Number) },
    { cap: "tokensPerDay", limit: 50_000, spent: 10_000, reserved: 0, isFull: false },
  ]);
  expect(seen.budgets[1].caps).toEqual([{ cap: "usdPerDay", limit: 5, spent: 1, reserved: 0, isFull: false }]);
});

function executionContext() {
  return { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} } as any;
}

test("/budget shows an owner what is left", async () => {
  const sender = { id: "42", owner: true };
  const tell = async (name: string) => {
    const runId = `run_${name}`;
    return runInDurableObject(await stubOf(name), async (instance) => {
      const input = { text: "/budget", sender, timeoutSeconds: 0 };
      instance.accept({ ...session(name), agentId: "main", runId, input });
      await instance.wait(runId, 5000);
      const view = instance.show(runId);
      return view !== undefined && "reply" in view ? view.reply : undefined;
    });
  };
  const place = await capped("ask", {
    budgets: { global: { usdPerDay: 5 }, perAgent: { runsPerHour: 1 } },
    cost: { input: 10 },
  });
  await script("ask", [{ text: "ok", usage: { input: 50_000, output: 0 } }]);
  await finished((await say("x", "ask", place)).runId);
  const reply = await tell("ask");
  expect(reply).toMatch(/^Budget of the agent `main`: 1 of 1 run an hour; room again .*at \d+:\d\d \(UTC\)$/m);
  expect(reply).toContain("Budget of all agents together: $0.50 of $5.00 a day");
  expect(await tell("ask-nothing")).toContain("No budget is set");
});
