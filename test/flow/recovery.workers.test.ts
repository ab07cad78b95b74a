import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { IndexSync } from "../../src/index-sync/index-sync.ts";
import { AuditTrail } from "../../src/session-store/audit-trail.ts";
import { EventLog } from "../../src/session-store/event-log.ts";
import { Fence } from "../../src/session-store/fence.ts";
import { readSessionRow } from "../../src/session-store/session-row.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";

const session = (name: string) => ({ sessionKey: `agent:main:hook:${name}` });

async function stubOf(name: string) {
  return env.SESSIONS.getByName(await objectNameOf(session(name).sessionKey));
}

/** Kills the object in the middle of what it does, and lets its alarm ring. */
async function crash(name: string) {
  const killed = runInDurableObject(await stubOf(name), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(await stubOf(name));
}

test("a run whose object dies while the model answers is asked again, and the reader is told to start over", async () => {
  await script("crash-model", [{ text: "Never heard", hang: true }, { text: "Heard." }]);
  const { runId } = await say("x", "crash-model", session("crash-model"));
  await waitFor(async () => (await asked("crash-model")).length === 1);
  await crash("crash-model");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Heard." });
  expect(await asked("crash-model")).toHaveLength(2);
  const { messages } = await historyOf(session("crash-model").sessionKey);
  expect(messages.map((message) => message.role)).toEqual(["user", "assistant"]);
});

test("a run goes on after its last finished step, not from the beginning", async () => {
  await script("crash-later", [
    { calls: [{ name: "write", args: { path: "once.md", content: "1" } }] },
    { hang: true },
    { text: "Done." },
  ]);
  const { runId } = await say("x", "crash-later", session("crash-later"));
  await waitFor(async () => (await asked("crash-later")).length === 2);
  await crash("crash-later");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Done." });
  const { messages } = await historyOf(session("crash-later").sessionKey);
  expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
});

test("the time in which its object was away does not count against a run's time", async () => {
  const name = "away";
  await script(name, [{ text: "Never heard", hang: true }, { text: "In time." }]);
  const { runId } = await say("x", name, { ...session(name), timeoutSeconds: 60 });
  await waitFor(async () => (await asked(name)).length === 1);
  // It began an hour ago, and its object died a second later.
  const hour = 3_600_000;
  const killed = runInDurableObject(await stubOf(name), async (_, state) => {
    for (const field of ["startedAt", "deadline"]) {
      const earlier = `json_set(state, '$.${field}', (state ->> '$.${field}') - ${hour})`;
      state.storage.sql.exec(`UPDATE runs SET state = ${earlier} WHERE id = ?`, runId);
    }
    state.storage.sql.exec(`UPDATE messages SET body = json_set(body, '$.at', (body ->> '$.at') - ${hour})`);
    await state.storage.sync();
    state.abort("killed by a test");
  });
  await expect(killed).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(await stubOf(name));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "In time." });
});

test("numbers of events grow over the death of an object and are never used twice", async () => {
  await script("crash-seq", [{ hang: true }, { text: "ok" }]);
  const { runId } = await say("x", "crash-seq", session("crash-seq"));
  await waitFor(async () => (await asked("crash-seq")).length === 1);
  const before = (await historyOf(session("crash-seq").sessionKey)).cursor;
  await crash("crash-seq");
  await finished(runId);
  const after = (await eventsOf(runId)).filter((event) => event.type !== "lifecycle" || event.phase !== "start");
  expect(Math.min(...after.map((event) => event.seq))).toBeGreaterThan(before);
});

test("a request to stop a run survives the death of its object", async () => {
  await script("crash-abort", [{ hang: true }]);
  const { runId } = await say("x", "crash-abort", session("crash-abort"));
  await waitFor(async () => (await asked("crash-abort")).length === 1);
  const stub = await stubOf("crash-abort");
  await runInDurableObject(stub, (_, state) => {
    state.storage.sql.exec(
      `update runs set state = json_set(state, '$.abortRequested', json('true')) where id = ?`,
      runId,
    );
  });
  await crash("crash-abort");
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  expect(await asked("crash-abort")).toHaveLength(1);
});

test("a run that crashes five times without getting further is parked, and its session goes on", async () => {
  await script("crash-loop", [
    { hang: true },
    { hang: true },
    { hang: true },
    { hang: true },
    { hang: true },
    { text: "next" },
  ]);
  const { runId } = await say("x", "crash-loop", session("crash-loop"));
  for (let crashes = 1; crashes <= 5; crashes++) {
    await waitFor(async () => (await asked("crash-loop")).length === crashes);
    await crash("crash-loop");
  }
  expect(await finished(runId)).toMatchObject({ status: "error", error: { code: "crash_loop" } });
  const next = await say("y", "crash-loop", session("crash-loop"));
  expect(await finished(next.runId)).toMatchObject({ status: "ok", reply: "next" });
});

test("a run stays open until the index has stored its end, because the update may get lost", async () => {
  await script("crash-index", [{ text: "ok" }]);
  await finished((await say("x", "crash-index", session("crash-index"))).runId);
  await new Promise((resolve) => setTimeout(resolve, 400));
  await runInDurableObject(await stubOf("crash-index"), async (_, { storage }) => {
    storage.sql.exec("UPDATE runs SET open = 1");
    const store = drizzle(storage);
    const statement = { bind: () => statement };
    const batch = () => Promise.reject(new Error("lost"));
    const database = { prepare: () => statement, batch } as unknown as D1Database;
    const fence = new Fence(storage, store, new EventLog(store, 1));
    const deps = { store, fence, database, session: () => readSessionRow(store)!, now: Date.now };
    const indexer = new IndexSync({
      ...deps,
      audit: new AuditTrail(deps),
      retry: () => [],
      operations: () => undefined,
    });
    await indexer.sync();
    expect(indexer.isBehind).toBe(true);
    expect(storage.sql.exec("SELECT open FROM runs").toArray()).toEqual([{ open: 1 }]);
  });
});

test("an index update that was lost in a crash is sent by the next request, at once", async () => {
  const { sessionKey } = session("crash-untold");
  const indexed = async () => (await call("GET", `/v1/sessions/${sessionKey}/runs`)).json<{ runs: { id: string }[] }>();
  await script("crash-untold", [{ text: "ok" }]);
  const { runId } = await say("x", "crash-untold", { sessionKey });
  await waitFor(async () => (await indexed()).runs.length === 1);
  await env.DB.prepare("DELETE FROM runs WHERE id = ?").bind(runId).run();
  const stub = await stubOf("crash-untold");
  await runInDurableObject(stub, (_, state) => void state.storage.sql.exec("UPDATE runs SET open = 1"));
  await evictDurableObject(stub);
  await call("GET", `/v1/sessions/${sessionKey}/history`);
  await waitFor(async () => (await indexed()).runs[0]?.id === runId);
  const isAtRest = async (_: unknown, { storage }: DurableObjectState) =>
    storage.sql.exec("SELECT id FROM runs WHERE open = 1").toArray().length === 0 &&
    (await storage.getAlarm()) === null;
  await waitFor(() => runInDurableObject(stub, isAtRest));
});

test("an idle session that is woken by a reader writes nothing and sets no alarm", async () => {
  await script("idle", [{ text: "ok" }]);
  await finished((await say("x", "idle", session("idle"))).runId);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const stub = await stubOf("idle");
  await runDurableObjectAlarm(stub);
  await evictDurableObject(stub);
  await call("GET", `/v1/sessions/${session("idle").sessionKey}/history`);
  expect(await runInDurableObject(stub, (_, state) => state.storage.getAlarm())).toBeNull();
});
