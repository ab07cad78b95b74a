import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { configure, evict, plug, session } from "./session-lab.ts";

/** Counts how often its plugin is told that a deployment has come up, and what the model had been asked by then. */
function counter(scenario: string) {
  const told: { version: string; asked: number }[] = [];
  const plugin = definePlugin({
    name: "counter",
    summary: "Counts",
    hooks: {
      gateway_start: {
        async run({ version }) {
          told.push({ version, asked: (await asked(scenario)).length });
        },
      },
    },
  });
  return { told, plugin };
}

async function boots() {
  const { results } = await env.DB.prepare("SELECT id, at, done_at AS doneAt FROM boots ORDER BY id").all();
  return results as { id: string; at: number; doneAt: number | null }[];
}

test("gateway_start runs once per deployment and agent, after its first turn, however many sessions it has and however often they are evicted", async () => {
  await script("gateway", [{ text: "1" }, { text: "2" }, { text: "3" }]);
  const { told, plugin } = counter("gateway");
  for (const name of ["gateway-one", "gateway-two", "gateway-one"]) {
    await plug(name, [plugin]);
    await finished((await say("x", "gateway", { sessionKey: `agent:main:hook:${name}` })).runId);
    await waitFor(async () => (await boots())[0]?.doneAt !== undefined);
    await evict(name);
  }
  expect(told).toEqual([{ version: env.DEPLOYMENT.id, asked: 1 }]);
  expect(await boots()).toEqual([
    { id: `${env.DEPLOYMENT.id}:main`, at: expect.any(Number), doneAt: expect.any(Number) },
  ]);
});

test("a start that another session has claimed is left to it until the claim expires", async () => {
  const id = `${env.DEPLOYMENT.id}:other`;
  const since = Date.now();
  await env.DB.prepare("INSERT INTO boots (id, at) VALUES (?, ?), ('ancient:other', 5)").bind(id, since).run();
  await script("gateway-other", [{ text: "1" }, { text: "2" }, { text: "3" }]);
  const { told, plugin } = counter("gateway-other");
  const sessionKey = "agent:other:hook:gateway-three";
  await plug("gateway-three", [plugin], { sessionKey });
  const turn = async () => finished((await say("x", "gateway-other", { sessionKey })).runId);
  await turn();
  await waitFor(async () => (await boots()).every((row) => row.id !== "ancient:other"));
  expect(told).toEqual([]);
  await env.DB.prepare("UPDATE boots SET at = 5 WHERE id = ?").bind(id).run();
  await turn();
  await waitFor(async () => told.length === 1);
  await waitFor(async () => (await boots()).every(({ doneAt }) => doneAt !== null));
  await turn();
  expect(told).toHaveLength(1);
});

test("a new deployment has an agent do what its BOOT.md says, in its main session, once", async () => {
  const id = `${env.DEPLOYMENT.id}:main`;
  await env.DB.prepare("DELETE FROM boots WHERE id = ?").bind(id).run();
  await call("PUT", "/v1/agents/main/workspace/Boot.md", "Water the plants.");
  await script("default", [
    { calls: [{ name: "write", args: { path: "plants.md", content: "Watered." } }] },
    { text: "NO_REPLY" },
  ]);
  await script("boot", [{ text: "1" }, { text: "2" }]);
  /** A turn in an isolate that knows of nothing. */
  const turn = async (name: string) => {
    await configure(name, (config) => config);
    await finished((await say("x", "boot", session(name))).runId);
  };
  await turn("boot-first");
  await waitFor(async () => (await boots()).some((row) => row.id === id && row.doneAt !== null));
  const plants = async () => (await call("GET", "/v1/agents/main/workspace/plants.md")).status;
  await waitFor(async () => (await plants()) === 200);
  // As if whoever claimed it had died before it was noted as done.
  await env.DB.prepare("UPDATE boots SET at = 5, done_at = NULL WHERE id = ?").bind(id).run();
  await turn("boot-second");
  await waitFor(async () => (await boots()).some((row) => row.id === id && row.doneAt !== null));
  const { messages } = await historyOf("agent:main:main");
  const orders = messages.filter(({ text }) => String(text).startsWith("[System] A new version"));
  expect(orders).toHaveLength(1);
  expect(orders[0]).toMatchObject({ text: expect.stringContaining("Water the plants."), sender: { owner: true } });
  expect(await asked("default")).toHaveLength(2);
});
