import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { asked, call, finished, say, script } from "./client.ts";
import { session, stubOf } from "./session-lab.ts";

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
