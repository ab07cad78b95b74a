import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { ConfigStore } from "../../src/config/store.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { call } from "../flow/client.ts";

/** Stores a document as another isolate does. */
async function storeElsewhere(document: JsonObject): Promise<void> {
  const store = new ConfigStore(env.DB);
  const { revision: base } = await store.newest({ revision: 0 });
  const audit = { id: crypto.randomUUID(), agentId: "main", sessionKey: "", runId: null };
  await store.write({ base, document, author: "import", note: null, changed: [], now: Date.now(), audit });
}

test("a run for an agent that another isolate has just added is accepted, and one for no agent is refused", async () => {
  const known = JSON.parse(env.ISOPOD_CONFIG ?? "{}");
  const post = (agentId: string) => call("POST", "/v1/agent", { message: "Hi", agentId });
  expect((await post("newcomer")).status).toBe(404);
  await storeElsewhere({
    ...known,
    agents: { ...known.agents, list: [{ id: "main", default: true }, { id: "newcomer" }] },
  });
  expect((await post("newcomer")).status).toBe(202);
  expect((await post("nobody")).status).toBe(404);
  const chat = { model: "isopod/newcomer", messages: [{ role: "user", content: "Hi" }], stream: true };
  const response = await call("POST", "/v1/chat/completions", chat);
  expect(response.status).toBe(200);
  await response.body?.cancel();
});
