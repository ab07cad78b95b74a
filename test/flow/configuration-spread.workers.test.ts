import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import { ConfigStore } from "../../src/config/store.ts";
import { createApp } from "../../src/http/app.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { knownConfiguration } from "../../src/services/current-config.ts";
import { FRESH_MS, USABLE_MS } from "../../src/services/known-config.ts";
import { asked, call, finished, say, script } from "./client.ts";
import { session, stubOf } from "./session-lab.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Stores a document as another isolate would, whether or not it is valid. */
async function storeElsewhere(document: JsonObject): Promise<number> {
  const store = new ConfigStore(env.DB);
  const { revision: base } = await store.newest({ revision: 0 });
  const audit = { id: crypto.randomUUID(), agentId: "main", sessionKey: "", runId: null };
  await store.write({ base, document, author: "import", note: null, changed: [], now: Date.now(), audit });
  return base + 1;
}

/** The Worker's own configuration, with another name for the product. */
function calling(productName: string): JsonObject {
  return { ...JSON.parse(env.ISOPOD_CONFIG ?? "{}"), prompt: { productName } };
}

/** Has a message accepted by the session's object itself: no door looks at the configuration before. */
async function tell(name: string, more: { configRevision?: number } = {}): Promise<string> {
  const { sessionKey } = session(name);
  const runId = newRunId(await objectNameOf(sessionKey), Date.now());
  const input = { text: "x", model: `fake/${name}`, timeoutSeconds: 60 };
  await (await stubOf(name)).accept({ sessionKey, agentId: "main", runId, input, ...more });
  return runId;
}

async function promptOf(scenario: string, at: number): Promise<string> {
  return JSON.stringify((await asked(scenario))[at]?.body);
}

/** The time goes on by so much, for everybody. */
function goOn(ms: number): void {
  if (vi.isFakeTimers()) vi.setSystemTime(Date.now() + ms);
  else vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

/** D1, but what `look` is told of each statement about the configuration comes before it is carried out. */
function watched(look: (query: string) => void, answered: () => Promise<void> | void = () => {}): D1Database {
  const watch = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        if (name === "bind") return (...values: unknown[]) => watch(method.apply(target, values));
        return async (...args: unknown[]) => {
          const rows = await method.apply(target, args);
          await answered();
          return rows;
        };
      },
    });
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") {
        return (query: string) => {
          if (!query.includes("config_revisions")) return target.prepare(query);
          look(query);
          return watch(target.prepare(query));
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Gives a session's object another database, of which this isolate knows nothing yet. */
async function give(name: string, DB: D1Database, more: object = {}): Promise<void> {
  await runInDurableObject(await stubOf(name), (instance: object) => {
    Object.assign(instance, { env: { ...env, DB, ...more } });
  });
}

test("a configuration that another isolate stored is asked for after five seconds beside a turn, and applies to the next", async () => {
  const name = "spread-later";
  await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
  goOn(USABLE_MS);
  await finished(await tell(name));
  await storeElsewhere(calling("Spread"));
  await finished(await tell(name));
  expect(await promptOf(name, 1)).toContain("running inside OpenClaw");
  goOn(FRESH_MS);
  await finished(await tell(name));
  await finished(await tell(name));
  expect(await promptOf(name, 3)).toContain("running inside Spread");
});

test("a configuration that another isolate stored applies to the first turn after a minute", async () => {
  const name = "spread-minute";
  await script(name, [{ text: "1" }, { text: "2" }]);
  goOn(USABLE_MS);
  await finished(await tell(name));
  await storeElsewhere(calling("Minute"));
  goOn(USABLE_MS);
  await finished(await tell(name));
  expect(await promptOf(name, 1)).toContain("running inside Minute");
});

test("a message that arrives with a newer configuration revision uses it at once", async () => {
  const name = "spread-door";
  await script(name, [{ text: "1" }, { text: "2" }]);
  await finished(await tell(name));
  const configRevision = await storeElsewhere(calling("Door"));
  await finished(await tell(name, { configRevision }));
  expect(await promptOf(name, 1)).toContain("running inside Door");
});

test("a warm turn waits for neither D1 nor R2, and after a minute for both, side by side", async () => {
  const name = "spread-calls";
  const order: string[] = [];
  const slowly = async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push("answered");
  };
  const DB = watched(() => order.push("asked"), slowly);
  const FILES = new Proxy(env.FILES, {
    get(target, method) {
      if (method === "list") order.push("listed");
      const value: unknown = Reflect.get(target, method);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
  await give(name, DB, { FILES });
  await finished(await tell(name));
  await finished(await tell(name));
  order.length = 0;
  await finished(await tell(name));
  expect(order).toEqual([]);
  goOn(FRESH_MS);
  await finished(await tell(name));
  expect(order).toEqual(["asked"]);
  await new Promise((resolve) => setTimeout(resolve, 250));
  order.length = 0;
  goOn(USABLE_MS);
  await finished(await tell(name));
  expect(order).toEqual(["asked", "listed", "answered"]);
});

test("a message to an object without a configuration is kept while D1 is down, and answered later", async () => {
  const name = "spread-down";
  let isDown = true;
  const DB = watched(() => {
    if (isDown) throw new Error("D1 is down.");
  });
  await script(name, [{ text: "Here I am." }]);
  await give(name, DB);
  const runId = await tell(name);
  const statusOf = async () => (await call("GET", `/v1/runs/${runId}`)).json<{ status: string }>();
  expect(await statusOf()).toMatchObject({ status: "queued" });
  await runDurableObjectAlarm(await stubOf(name));
  expect(await statusOf()).toMatchObject({ status: "queued" });
  const { alarm } = await runInDurableObject(await stubOf(name), async (_, { storage }) => ({
    alarm: await storage.getAlarm(),
  }));
  expect(alarm).toBeGreaterThan(Date.now());
  isDown = false;
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Here I am." });
});

test("an object that wakes in an isolate without a configuration reads it first", async () => {
  const name = "spread-cold";
  await script(name, [{ text: "1" }]);
  await finished((await say("x", name, session(name))).runId);
  await evictDurableObject(await stubOf(name));
  const questions: string[] = [];
  const DB = watched((query) => questions.push(query));
  const status = await runInDurableObject(await stubOf(name), async (instance, state) => {
    const Session = instance.constructor as new (ctx: DurableObjectState, env: object) => typeof instance;
    const woken = new Session(state, { ...env, DB });
    await state.blockConcurrencyWhile(async () => {});
    const { sessionKey } = session(name);
    const runId = newRunId(await objectNameOf(sessionKey), Date.now());
    const input = { text: "/status", sender: { id: "42", owner: true }, timeoutSeconds: 60 };
    woken.accept({ sessionKey, agentId: "main", runId, input });
    return woken.show(runId);
  });
  expect(questions).toHaveLength(1);
  expect(status).toMatchObject({ status: "ok", reply: expect.stringContaining("Model") });
});

test("a stored configuration that has become invalid is logged with its fields, and the previous one stays in force", async () => {
  const good = await storeElsewhere(calling("Good"));
  const newest = await storeElsewhere({ ...calling("Bad"), retired: true });
  goOn(FRESH_MS);
  expect(await (await call("GET", "/v1/config?effective=true")).json()).toMatchObject({
    revision: newest,
    source: "stored",
    inForce: good,
    document: { retired: true },
    faults: [{ path: "retired" }],
    effective: { prompt: { productName: "Good" } },
  });
  const name = "spread-invalid";
  await script(name, [{ text: "1" }]);
  await finished((await say("x", name, session(name))).runId);
  expect(await promptOf(name, 0)).toContain("running inside Good");
  const mended = await call("PATCH", "/v1/config", { retired: null }, { "If-Match": `"${newest}"` });
  expect(await mended.json()).toMatchObject({ revision: newest + 1, changed: ["retired"] });
  expect(await (await call("GET", "/v1/config")).json()).toMatchObject({ inForce: newest + 1, faults: [] });
});

test("a route without a configuration answers an error while D1 is down, and stores nothing", async () => {
  const DB = watched(() => {
    throw new Error("D1 is down.");
  });
  const headers = { Authorization: "Bearer test-token" };
  const answer = await createApp().request("/v1/me", { headers }, { ...env, DB });
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "unavailable" } }]);
  expect((await createApp().request("/v1/config", { headers }, { ...env, DB })).status).toBe(503);
  expect((await createApp().request("/healthz", {}, { ...env, DB })).status).toBe(200);
});

test("with an invalid ISOPOD_CONFIG nothing runs, but the configuration can be read and repaired", async () => {
  await env.DB.exec("delete from config_revisions");
  await knownConfiguration(env.DB).refresh();
  const broken = { ...env, ISOPOD_CONFIG: "{agents: {defaults: {timeoutSeconds: 'long'}}}" };
  const app = createApp();
  const headers = { Authorization: "Bearer test-token" };
  const ask = (path: string, more: object = {}) => app.request(path, { headers, ...more }, broken);
  const refused = await ask("/v1/me");
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { error: { code: "not_configured", faults: [{ path: "agents.defaults.timeoutSeconds" }] } },
  ]);
  expect(await (await ask("/v1/config")).json()).toMatchObject({
    revision: 0,
    source: "environment",
    inForce: null,
    faults: [{ path: "agents.defaults.timeoutSeconds" }],
  });
  const mend = { method: "PUT", headers: { ...headers, "If-Match": '"0"' }, body: "{agents: {}}" };
  expect((await ask("/v1/config", mend)).status).toBe(200);
  expect((await ask("/v1/me")).status).toBe(200);
});
