import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { asked, call, finished, say, script, waitFor } from "./client.ts";
import { evict, session, sql, stubOf } from "./session-lab.ts";

const path = (name: string) => `/v1/sessions/${encodeURIComponent(session(name).sessionKey)}`;

test("a message that a deleted session had taken up is not answered again within a day", async () => {
  const name = "tombstone";
  await script(name, [{ text: "Once." }, { text: "Anew." }]);
  const keyed = { ...session(name), idempotencyKey: "order-7" };
  await finished((await say("Order it", name, keyed)).runId);
  expect((await call("DELETE", path(name))).status).toBe(204);
  const again = { message: "Order it", model: `fake/${name}`, ...keyed };
  const refused = await call("POST", "/v1/agent", again);
  expect(refused.status).toBe(410);
  expect((await refused.json<any>()).error.hint).toContain("idempotencyKey");
  // A session of that name may begin anew, also after its deletion the key is known.
  await finished((await say("Something else", name, session(name))).runId);
  expect((await call("POST", "/v1/agent", again)).status).toBe(410);
  expect((await call("DELETE", path(name))).status).toBe(204);
  expect((await call("POST", "/v1/agent", again)).status).toBe(410);
  expect(await asked(name)).toHaveLength(2);
});

test("after a day nothing is left of a deleted session", async () => {
  const name = "tombstone-over";
  await script(name, [{ text: "Once." }]);
  await finished((await say("x", name, { ...session(name), idempotencyKey: "k" })).runId);
  await call("DELETE", path(name));
  const stub = await stubOf(name);
  await runInDurableObject(stub, (_, { storage }) => {
    const tombstone = storage.kv.get<{ keys: string[]; until: number }>("tombstone");
    expect(tombstone?.keys).toHaveLength(1);
    storage.kv.put("tombstone", { ...tombstone, until: 1 });
  });
  await runDurableObjectAlarm(stub);
  await runInDurableObject(stub, async (_, { storage }) => {
    expect(storage.kv.get("tombstone")).toBeUndefined();
    expect(await storage.getAlarm()).toBeNull();
  });
});

test("a session whose database cannot be read says so, the doctor names it, and deleting it lets it begin anew", async () => {
  const name = "damaged";
  await script(name, [{ text: "Before." }, { text: "After." }]);
  await finished((await say("x", name, session(name))).runId);
  await waitFor(async () => (await (await call("GET", "/v1/sessions")).text()).includes(session(name).sessionKey));
  await sql(name, "DROP TABLE outbox");
  await evict(name);
  const refused = await call("POST", "/v1/agent", { message: "y", model: `fake/${name}`, ...session(name) });
  expect(refused.status).toBe(503);
  expect((await refused.json<any>()).error).toMatchObject({
    message: expect.stringContaining("no such table: outbox"),
    hint: expect.stringContaining("delete the session"),
  });
  const { checks } = await (await call("GET", "/v1/doctor")).json<any>();
  expect(checks).toContainEqual(
    expect.objectContaining({ id: `sessions.${session(name).sessionKey}`, status: "fail" }),
  );
  expect((await call("DELETE", path(name))).status).toBe(204);
  expect((await (await call("GET", "/v1/sessions")).text()).includes(session(name).sessionKey)).toBe(false);
  expect(await finished((await say("z", name, session(name))).runId)).toMatchObject({ reply: "After." });
});
