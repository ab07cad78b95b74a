import { expect, test } from "vitest";
import { newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import { call, env, finished, historyOf, script, waitFor } from "./client.ts";
import { evict, filesOf, session, stubOf } from "./session-lab.ts";

/** Begins a session that goes by itself, and has its one run. */
async function begin(name: string, lingerMs: number) {
  await script(name, [{ text: "Once." }]);
  const { sessionKey } = session(name);
  const input = { text: "Hi", model: `fake/${name}`, timeoutSeconds: 60 };
  const runId = newRunId(await objectNameOf(sessionKey), Date.now());
  const stub: any = await stubOf(name);
  await stub.accept({ sessionKey, agentId: "main", runId, input, lingerMs });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  return { runId, sessionKey };
}

async function isGone(sessionKey: string): Promise<boolean> {
  return (await call("GET", `/v1/sessions/${encodeURIComponent(sessionKey)}/history`)).status === 404;
}

test("an ephemeral session deletes itself a while after its last run", async () => {
  const { runId, sessionKey } = await begin("brief", 700);
  expect((await historyOf(sessionKey)).messages).toHaveLength(2);
  await waitFor(() => isGone(sessionKey));
  expect((await call("GET", `/v1/runs/${runId}`)).status).toBe(404);
  expect(await filesOf("brief")).toEqual([]);
  await waitFor(async () => {
    const row = await env.DB.prepare("select key from sessions where key = ?").bind(sessionKey).first();
    return row === null;
  });
});

test("an ephemeral session that was evicted meanwhile deletes itself as well", async () => {
  const { sessionKey } = await begin("brief-evicted", 700);
  await evict("brief-evicted");
  await waitFor(() => isGone(sessionKey));
});

test("an ephemeral session is not deleted while it has an active run", async () => {
  const { sessionKey } = await begin("brief-busy", 900);
  await script("brief-busy", [{ text: "Late.", delayMs: 2000 }]);
  const body = { message: "Again", model: "fake/brief-busy", sessionKey };
  const { runId } = await (await call("POST", "/v1/agent", body)).json<{ runId: string }>();
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Late." });
});
