import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import type { ScriptedReply } from "../fakes/model-script.ts";
import { asked, call, eventsOf, finished, historyOf, script, waitFor } from "./client.ts";
import { arm, configure, evict, session } from "./session-lab.ts";

const HOUR_MS = 3_600_000;

/** Who is asked and how, in a test. */
interface Setup {
  /** The agent's model and its fallbacks, each the scenario of that name at the fake provider. */
  models: [string, ...string[]];
  auth?: object;
  retry?: object;
  secrets?: object;
}

/**
 * A session whose agent asks these models, in order. Every provider of any name is the fake one. Each call gives the
 * session an isolate's memory of its own: what it knows of others it has from D1.
 */
async function given(name: string, { models, auth = {}, retry = { backoffMs: 5 }, secrets = {} }: Setup) {
  const [primary, ...fallbacks] = models;
  const fake = { baseUrl: `${env.TEST_MODEL_SERVER}/v1`, api: "openai-completions" };
  const providers = Object.fromEntries(models.map((ref) => [ref.slice(0, ref.indexOf("/")), fake]));
  const change = (config: any) => ({
    ...config,
    auth,
    agents: { ...config.agents, defaults: { ...config.agents.defaults, model: { primary, fallbacks } } },
    models: { retry, providers: { ...config.models.providers, ...providers } },
  });
  await configure(name, change, secrets);
}

async function begin(name: string, more: object = {}): Promise<string> {
  const body = { message: "Hello", ...session(name), ...more };
  return (await call("POST", "/v1/agent", body)).json<{ runId: string }>().then(({ runId }) => runId);
}

async function turn(name: string, more: object = {}) {
  return finished(await begin(name, more));
}

async function times(scenario: string): Promise<number> {
  return (await asked(scenario)).length;
}

async function keysAt(scenario: string): Promise<(string | undefined)[]> {
  return (await asked(scenario)).map(({ headers }) => headers.authorization?.replace("Bearer ", ""));
}

const refused = (status: number, message: string, headers: Record<string, string> = {}): ScriptedReply => ({
  status,
  headers,
  body: { error: { message } },
});

const BUSY = refused(503, "The engine is overloaded.");
const LIMITED = refused(429, "Rate limit reached.");

/** What is noted of rests by this name. */
async function noted(name: string) {
  return env.DB.prepare("select failures, kind, until from cooldowns where profile = ?")
    .bind(name)
    .first<{ failures: number; kind: string; until: number }>();
}

async function note(name: string, failures: number, kind: string, until: number): Promise<void> {
  await env.DB.prepare("insert into cooldowns (profile, failures, kind, until) values (?, ?, ?, ?)")
    .bind(name, failures, kind, Math.round(until))
    .run();
}

describe("where a model refuses", () => {
  test.each([
    ["next-limited", LIMITED, 1],
    ["next-locked", refused(401, "Incorrect API key provided."), 1],
    ["next-broke", refused(402, "Insufficient credits."), 1],
    ["next-gone", refused(404, "The model does not exist."), 1],
    ["next-busy", BUSY, 3],
    ["next-failing", refused(500, "Internal server error"), 3],
    ["next-cut", { text: "Never", cutAfterBytes: 1 }, 3],
  ])("the next one answers: %s", async (name, reply, count) => {
    await given(name, { models: [`first/${name}`, `second/${name}-2`] });
    await script(name, [reply as ScriptedReply]);
    await script(`${name}-2`, [{ text: "Here I am." }]);
    expect(await turn(name)).toMatchObject({ status: "ok", reply: "Here I am.", model: `second/${name}-2` });
    expect(await times(name)).toBe(count);
    const { messages } = await historyOf(session(name).sessionKey);
    expect(messages).toMatchObject([{ role: "user" }, { role: "assistant", model: `second/${name}-2` }]);
  });

  test("and another answers, readers see no trace of the refusal", async () => {
    await given("next-unseen", { models: ["first/next-unseen", "second/next-unseen-2"] });
    await script("next-unseen", [BUSY]);
    await script("next-unseen-2", [{ text: "Hello." }]);
    const events = await eventsOf(await begin("next-unseen"));
    const shown = events.flatMap((event) => (event.type === "assistant" ? [event.phase] : []));
    expect(shown).toEqual(["delta", "message"]);
  });

  test.each([
    ["next-malformed", refused(400, "messages.1: tool_use ids must be unique")],
    ["next-too-long", refused(400, "This model's maximum context length is 10 tokens.")],
  ])("nobody else is asked what would fail there as well: %s", async (name, reply) => {
    await given(name, { models: [`first/${name}`, `second/${name}-2`] });
    await script(name, [reply]);
    const run = await turn(name);
    expect(run).toMatchObject({ status: "error", error: { code: "model_error" } });
    expect([await times(name), await times(`${name}-2`)]).toEqual([1, 0]);
  });

  test("a reply that breaks off is begun again twice, then by the next model, and readers are told", async () => {
    await given("next-spoke", { models: ["first/next-spoke", "second/next-spoke-2"] });
    await script("next-spoke", [{ text: "Once upon a time there was a king.", cutAfterBytes: 900 }]);
    await script("next-spoke-2", [{ text: "A king lived." }]);
    const run = await turn("next-spoke");
    expect(run).toMatchObject({ status: "ok", reply: "A king lived." });
    expect([await times("next-spoke"), await times("next-spoke-2")]).toEqual([3, 1]);
  });

  test.each([
    ["breaks off", { cutAfterBytes: 900 }],
    [
      "stops in the middle of its JSON",
      // In two pieces: a stream that fails drops what it has not handed on, and then there is nothing to take back.
      {
        raw: 'data: {"choices":[{"index":0,"delta":{"content":"Once"}}]}\n\ndata: {"cho\n\n',
        sliceBytes: 64,
        gapMs: 50,
      },
    ],
    ["ends without an end", { unfinished: true }],
  ])("a stream that %s is asked for again", async (what, fault) => {
    const name = `again-${what.replaceAll(/\W/g, "-")}`;
    await given(name, { models: [`first/${name}`] });
    await script(name, [{ text: "Once upon a time there was a king.", ...fault }, { text: "Whole." }]);
    expect(await turn(name)).toMatchObject({ status: "ok", reply: "Whole." });
    // A reader that is behind is told the whole message alone, so the second try takes a while.
    await script(name, [
      { text: "Once upon a time there was a king.", ...fault },
      { text: "Whole.", delayMs: 100 },
    ]);
    const body = { message: "Live", ...session(name) };
    const live = await (await call("POST", "/v1/agent", body, { Accept: "text/event-stream" })).text();
    expect(live).toContain('"phase":"restart","attempt":2');
  });

  test("in the middle of a turn, what tools did is not done again, and who took over goes on", async () => {
    await given("next-middle", { models: ["first/next-middle", "second/next-middle-2"] });
    let ran = 0;
    await arm("next-middle", [
      defineTool({
        name: "count",
        summary: "Count",
        description: "Counts.",
        parameters: z.looseObject({}),
        replay: "unsafe",
        sequential: false,
        run: async () => ({ text: `${++ran}` }),
      }),
    ]);
    await script("next-middle", [{ calls: [{ name: "count" }] }, BUSY]);
    await script("next-middle-2", [{ calls: [{ name: "count" }] }, { text: "Two." }]);
    expect(await turn("next-middle")).toMatchObject({ status: "ok", reply: "Two.", model: "second/next-middle-2" });
    expect(ran).toBe(2);
    expect(await times("next-middle")).toBe(4);
    const { messages } = await historyOf(session("next-middle").sessionKey);
    const said = messages.filter(({ role }) => role === "assistant").map(({ model }) => model);
    expect(said).toEqual(["first/next-middle", "second/next-middle-2", "second/next-middle-2"]);
  });

  test("and it is the only one, it is asked again after its retry-after", async () => {
    await given("next-soon", { models: ["first/next-soon"] });
    await script("next-soon", [refused(429, "Slow down.", { "retry-after-ms": "50" }), { text: "Now." }]);
    expect(await turn("next-soon")).toMatchObject({ status: "ok", reply: "Now." });
    expect(await times("next-soon")).toBe(2);
    expect(await noted("first/next-soon")).toBeNull();
  });

  test("and its retry-after exceeds the run's time, the run ends with the reason", async () => {
    await given("next-late", { models: ["first/next-late"] });
    await script("next-late", [refused(503, "Overloaded.", { "retry-after": "20" })]);
    const run = await turn("next-late", { timeoutSeconds: 10 });
    expect(run).toMatchObject({
      status: "error",
      error: { code: "model_error", message: expect.stringContaining(": Overloaded.") },
    });
  });
});

describe("who was refused", () => {
  test("rests for all sessions, also when the object has left memory, and is asked again when it has answered", async () => {
    const models: Setup["models"] = ["first/next-rest", "second/next-rest-2"];
    await given("next-rest", { models });
    await script("next-rest", [LIMITED, { text: "Me again." }]);
    await script("next-rest-2", [{ text: "In its place." }]);
    await turn("next-rest");
    await waitFor(async () => (await noted("first/next-rest")) !== null);
    expect(await noted("first/next-rest")).toMatchObject({ failures: 1, kind: "rate_limit" });
    await evict("next-rest");
    for (const name of ["next-rest", "next-rest-elsewhere"]) {
      await given(name, { models });
      expect(await turn(name)).toMatchObject({ reply: "In its place." });
    }
    expect(await times("next-rest")).toBe(1);
    await env.DB.prepare("update cooldowns set until = 1 where profile = 'first/next-rest'").run();
    await given("next-rest-later", { models });
    expect(await turn("next-rest-later")).toMatchObject({ reply: "Me again." });
    await waitFor(async () => (await noted("first/next-rest")) === null);
  });

  test("rests the longer the more often it happens", async () => {
    await note("first/next-often", 2, "rate_limit", Date.now() - 1000);
    await given("next-often", { models: ["first/next-often", "second/next-often-2"] });
    await script("next-often", [LIMITED]);
    await turn("next-often");
    await waitFor(async () => (await noted("first/next-often"))!.failures === 3);
    const { until } = (await noted("first/next-often"))!;
    expect(until).toBeGreaterThan(Date.now() + 24 * 60_000);
    expect(until).toBeLessThanOrEqual(Date.now() + 25 * 60_000);
  });

  test("rests as long as it was told to, where that is longer", async () => {
    await given("next-told", { models: ["first/next-told", "second/next-told-2"] });
    await script("next-told", [refused(429, "Come back later.", { "retry-after": "7200" })]);
    await turn("next-told");
    await waitFor(async () => (await noted("first/next-told")) !== null);
    expect((await noted("first/next-told"))!.until).toBeGreaterThan(Date.now() + HOUR_MS);
  });

  test("is named, with how long it rests, where nobody else is left", async () => {
    const until = Date.UTC(2100, 0, 2, 3, 4);
    await note("first/next-all", 1, "billing", until);
    await note("second/next-all-2", 1, "rate_limit", until + HOUR_MS);
    await given("next-all", { models: ["first/next-all", "second/next-all-2"] });
    const { status, error } = await turn("next-all");
    expect(status).toBe("error");
    expect((error as any).message).toBe(
      [
        "No model can answer now.",
        "- first/next-all: It is in cooldown until 2100-01-02 03:04 UTC (billing).",
        "- second/next-all-2: It is in cooldown until 2100-01-02 04:04 UTC (rate limit).",
      ].join("\n"),
    );
    expect([await times("next-all"), await times("next-all-2")]).toEqual([0, 0]);
  });

  test("is waited for, where all rest and it wakes soon", async () => {
    await note("first/next-wake", 1, "rate_limit", Date.now() + HOUR_MS);
    await note("second/next-wake-2", 1, "rate_limit", Date.now() + 600);
    await given("next-wake", { models: ["first/next-wake", "second/next-wake-2"] });
    await script("next-wake-2", [{ text: "Good morning." }]);
    expect(await turn("next-wake")).toMatchObject({ status: "ok", reply: "Good morning." });
    expect(await times("next-wake")).toBe(0);
  });

  test("is not waited for by a run that is stopped", async () => {
    await note("first/next-stop", 1, "rate_limit", Date.now() + HOUR_MS);
    await note("second/next-stop-2", 1, "rate_limit", Date.now() + 20_000);
    await given("next-stop", { models: ["first/next-stop", "second/next-stop-2"] });
    const runId = await begin("next-stop");
    await waitFor(async () => {
      const run = await call("GET", `/v1/runs/${runId}`).then((response) => response.json<{ status: string }>());
      return run.status === "running";
    });
    await call("POST", `/v1/runs/${runId}/abort`);
    expect(await finished(runId)).toMatchObject({ status: "aborted" });
    expect([await times("next-stop"), await times("next-stop-2")]).toEqual([0, 0]);
  });

  test("does not break a turn when what it did cannot be noted", async () => {
    const prepare = (query: string) => {
      if (query.includes("cooldowns")) throw new Error("The database is away.");
      return env.DB.prepare(query);
    };
    const batch = (statements: D1PreparedStatement[]) => env.DB.batch(statements);
    await given("next-lost", {
      models: ["first/next-lost", "second/next-lost-2"],
      secrets: { DB: { prepare, batch } },
    });
    await script("next-lost", [LIMITED]);
    await script("next-lost-2", [{ text: "Anyway." }]);
    expect(await turn("next-lost")).toMatchObject({ status: "ok", reply: "Anyway." });
  });
});

describe("where a provider has several keys", () => {
  const key = (id: string, provider = "keyed") => ({ provider, apiKey: { source: "env", id } });
  const secrets = { KEY_A: "a", KEY_B: "b" };

  test("they are used in the order that is written down, and one that is refused rests with every model", async () => {
    const profiles = { "keyed:a": key("KEY_A"), "keyed:b": key("KEY_B"), "keyed:none": key("KEY_NONE") };
    const auth = { profiles, order: { keyed: ["keyed:none", "keyed:b", "keyed:a"] } };
    await given("next-keys", { models: ["keyed/next-keys"], auth, secrets });
    await script("next-keys", [refused(401, "Incorrect API key provided."), { text: "With the other." }]);
    expect(await turn("next-keys")).toMatchObject({ status: "ok", reply: "With the other.", model: "keyed/next-keys" });
    expect(await keysAt("next-keys")).toEqual(["b", "a"]);
    await waitFor(async () => (await noted("keyed:b")) !== null);
    await given("next-keys-other", { models: ["keyed/next-keys-other"], auth, secrets });
    await turn("next-keys-other");
    expect(await keysAt("next-keys-other")).toEqual(["a"]);
  });

  test("a limit is one of a key with a model, and the next model is asked with both", async () => {
    const auth = { profiles: { "pair:a": key("KEY_A", "pair"), "pair:b": key("KEY_B", "pair") } };
    await given("next-pair", { models: ["pair/next-pair", "pair/next-pair-2"], auth, secrets });
    await script("next-pair", [LIMITED]);
    await script("next-pair-2", [LIMITED, { text: "Through." }]);
    expect(await turn("next-pair")).toMatchObject({ reply: "Through.", model: "pair/next-pair-2" });
    expect([await keysAt("next-pair"), await keysAt("next-pair-2")]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("another key is no help where a model is overloaded", async () => {
    const auth = { profiles: { "twin:a": key("KEY_A", "twin"), "twin:b": key("KEY_B", "twin") } };
    await given("next-twin", {
      models: ["twin/next-twin", "second/next-twin-2"],
      auth,
      secrets,
      retry: { times: 1, backoffMs: 5 },
    });
    await script("next-twin", [BUSY]);
    expect(await turn("next-twin")).toMatchObject({ status: "ok", model: "second/next-twin-2" });
    expect(await keysAt("next-twin")).toEqual(["a", "a"]);
  });
});

describe("a model may be named", () => {
  test("by its alias, for a run and among the fallbacks", async () => {
    const models = { "fake/next-alias-1": { alias: "Quick" }, "fake/next-alias-2": { alias: "slow" } };
    await configure("next-alias", (config) => ({
      ...config,
      agents: { ...config.agents, defaults: { models, model: { primary: "QUICK", fallbacks: ["slow"] } } },
    }));
    await script("next-alias-1", [refused(404, "The model does not exist.")]);
    await script("next-alias-2", [{ text: "Slowly." }]);
    expect(await turn("next-alias")).toMatchObject({ reply: "Slowly.", model: "fake/next-alias-2" });
    expect(await times("next-alias-1")).toBe(1);
    expect(JSON.stringify((await asked("next-alias-2"))[0]!.body.messages[0])).toContain("- Quick: fake/next-alias-1");
  });

  test("for one run, and the agent's fallbacks still hold", async () => {
    await given("next-chosen", { models: ["first/next-chosen-not", "second/next-chosen-2"] });
    await script("next-chosen", [refused(404, "The model does not exist.")]);
    await script("next-chosen-2", [{ text: "For it." }]);
    expect(await turn("next-chosen", { model: "fake/next-chosen" })).toMatchObject({
      reply: "For it.",
      model: "second/next-chosen-2",
    });
    expect([await times("next-chosen"), await times("next-chosen-not")]).toEqual([1, 0]);
  });
});
