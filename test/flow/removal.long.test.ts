import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { forgetListings } from "./outside.ts";
import { arm, armWithDump, dumpTool, evict, filesOf, session, sql, stubOf } from "./session-lab.ts";
import { openSocket } from "./socket-client.ts";

afterEach(() => vi.restoreAllMocks());

const pathOf = (name: string) => `/v1/sessions/${encodeURIComponent(session(name).sessionKey)}`;
const remove = (name: string) => call("DELETE", pathOf(name));

/** A session that has left something everywhere. */
async function livedIn(name: string): Promise<string> {
  await armWithDump(name, () => "x".repeat(70_000));
  await script(name, [{ calls: [{ name: "dump", args: {} }] }, { text: "Remembered." }]);
  const { runId } = await say("Remember this", name, session(name));
  await finished(runId);
  await waitFor(async () => (await indexOf(name)).sessions === 1 && (await indexOf(name)).runs === 1);
  expect(await filesOf(name)).toHaveLength(1);
  return runId;
}

/** What the index of all sessions has of one. */
async function indexOf(name: string): Promise<Record<string, number>> {
  const { sessionKey } = session(name);
  const counts = ["sessions", "runs", "approvals"].map(async (table) => {
    const column = table === "sessions" ? "key" : "session_key";
    const row = env.DB.prepare(`select count(*) as n from ${table} where ${column} = ?`).bind(sessionKey);
    return [table, await row.first<number>("n")] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
}

/** What is left of a session in its object: tables, and whether an alarm is set. */
async function leftIn(name: string) {
  return runInDurableObject(await stubOf(name), async (_, { storage }) => ({
    tables: storage.sql.exec("select name from sqlite_master where name not like '\\_cf%' escape '\\'").toArray(),
    alarm: await storage.getAlarm(),
  }));
}

async function expectNothingLeft(name: string, runId: string): Promise<void> {
  expect(await filesOf(name)).toEqual([]);
  expect(await indexOf(name)).toEqual({ sessions: 0, runs: 0, approvals: 0 });
  for (const path of ["/history", "/events", "/export", "/runs"]) {
    const answer = await call("GET", `${pathOf(name)}${path}`);
    expect({ path, status: answer.status }).toEqual({ path, status: 404 });
  }
  expect((await call("GET", `/v1/runs/${runId}`)).status).toBe(404);
  expect(await leftIn(name)).toEqual({ tables: [], alarm: null });
}

describe("deleting a session", () => {
  test("leaves nothing of it: no rows, no index, no large results, no alarm; and a second time it is not found", async () => {
    const runId = await livedIn("gone");
    expect((await remove("gone")).status).toBe(204);
    await expectNothingLeft("gone", runId);
    const again = await remove("gone");
    expect(again.status).toBe(404);
    expect(await again.json()).toMatchObject({ error: { code: "not_found", hint: expect.any(String) } });
  });

  test("makes room for a new one under the same key, which knows nothing of the old", async () => {
    await livedIn("anew");
    const before = await say("Still here?", "anew", session("anew"));
    await finished(before.runId);
    const { cursor } = await historyOf(session("anew").sessionKey);
    await remove("anew");
    await script("anew", [{ text: "New here." }]);
    const after = await say("Hello", "anew", session("anew"));
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(await finished(after.runId)).toMatchObject({ status: "ok", reply: "New here." });
    const { messages } = await historyOf(session("anew").sessionKey);
    expect(messages.map(({ text }) => text)).toEqual(["Hello", undefined]);
    expect(Math.min(...(await eventsOf(after.runId)).map(({ seq }) => seq))).toBeGreaterThan(cursor);
    expect(JSON.stringify((await asked("anew")).at(-1)!.body)).not.toContain("Remember this");
    await waitFor(async () => (await indexOf("anew")).runs === 1);
    for (const woken of [false, true]) {
      if (woken) await evict("anew");
      expect((await call("GET", `${pathOf("anew")}/events?after=${cursor}`)).status).toBe(410);
    }
    expect((await historyOf(session("anew").sessionKey)).messages).toHaveLength(2);
  });

  test("stops the run at work and those that wait, and ends whoever reads", async () => {
    await script("busy", [{ hang: true }, { text: "never" }]);
    const first = await say("x", "busy", session("busy"));
    await waitFor(async () => (await asked("busy")).length === 1);
    const second = await say("/queue followup", "busy", session("busy")).then(() => say("y", "busy", session("busy")));
    const waits = [first, second].map(({ runId }) => call("GET", `/v1/agent/wait?runId=${runId}&timeoutMs=10000`));
    const stream = call("GET", `${pathOf("busy")}/events?after=0`).then((response) => response.text());
    const socket = await openSocket(session("busy").sessionKey);
    socket.resume(0);
    await socket.next("events");
    expect((await remove("busy")).status).toBe(204);
    for (const wait of waits) expect(await (await wait).json()).toMatchObject({ error: { code: "aborted" } });
    expect(await stream).toContain('"code":"aborted"');
    await waitFor(async () => socket.closed !== undefined);
    expect(socket.closed).toMatchObject({ code: 4010 });
    const back = await openSocket(session("busy").sessionKey);
    back.resume(socket.cursor);
    expect(await back.next("error")).toMatchObject({ error: { code: "gone" } });
    back.close();
    await waitFor(async () => (await asked("busy"))[0]!.hungUp);
    expect(await asked("busy")).toHaveLength(1);
    await expectNothingLeft("busy", first.runId);
  });

  test("takes back a run that waits for a person, and its question", async () => {
    await arm("asking", [{ ...dumpTool(() => "never"), approval: () => "May I?" }]);
    await script("asking", [{ calls: [{ name: "dump", args: {} }] }]);
    const { runId } = await say("Dump", "asking", session("asking"));
    await waitFor(async () => (await indexOf("asking")).approvals === 1);
    expect((await remove("asking")).status).toBe(204);
    await expectNothingLeft("asking", runId);
  });

  test("that is requested many times at once runs once, and a message after it is not lost", async () => {
    await livedIn("often");
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove("often")));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    await script("often", [{ text: "Here." }]);
    expect(await finished((await say("Hello", "often", session("often"))).runId)).toMatchObject({ reply: "Here." });
  });

  test("that is broken off goes on by itself: meanwhile there is no such session, and messages are told to wait", async () => {
    const runId = await livedIn("broken");
    const deleting = vi.spyOn(env.FILES, "delete").mockRejectedValue(new Error("R2 is down"));
    const answer = await remove("broken");
    if (deleting.mock.calls.length === 0) throw new Error("The bucket was not the one that was broken.");
    expect(answer.status).toBe(503);
    expect((await call("GET", `${pathOf("broken")}/history`)).status).toBe(404);
    const refused = await call("POST", "/v1/agent", { message: "x", ...session("broken") });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { hint: expect.stringContaining("not stored") } });
    vi.restoreAllMocks();
    await evict("broken");
    await runDurableObjectAlarm(await stubOf("broken"));
    await waitFor(async () => (await leftIn("broken")).tables.length === 0);
    await expectNothingLeft("broken", runId);
  });

  test("goes on where an incarnation died in the middle of it", async () => {
    const runId = await livedIn("died");
    await sql("died", "update session set deleting = 1");
    const killed = runInDurableObject(await stubOf("died"), (_, state) => state.abort("killed by a test"));
    await expect(killed).rejects.toThrow("killed by a test");
    expect((await remove("died")).status).toBe(204);
    await expectNothingLeft("died", runId);
  });

  test("does not wait without end for a run that does not stop: it ends with the object", {
    timeout: 20_000,
  }, async () => {
    const runId = await livedIn("stuck");
    forgetListings();
    const listing = vi.spyOn(env.FILES, "list").mockReturnValue(new Promise(() => undefined));
    await say("Never gets to a model", "stuck", session("stuck"));
    await waitFor(async () => listing.mock.calls.length > 0);
    expect((await remove("stuck")).status).toBe(503);
    vi.restoreAllMocks();
    await runDurableObjectAlarm(await stubOf("stuck"));
    await waitFor(async () => (await leftIn("stuck")).tables.length === 0);
    await expectNothingLeft("stuck", runId);
  });
});

describe("a session that never was", () => {
  test("is not found by whoever looks at it, and looking leaves nothing behind", async () => {
    for (const [method, path] of [
      ["GET", "/history"],
      ["GET", "/events"],
      ["GET", "/export"],
      ["GET", "/runs"],
      ["POST", "/abort"],
      ["DELETE", ""],
    ] as const) {
      const answer = await call(method, `${pathOf("never")}${path}`);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(await answer.json()).toMatchObject({ error: { code: "not_found", hint: expect.any(String) } });
    }
    expect(await leftIn("never")).toEqual({ tables: [], alarm: null });
  });

  test("is empty where it is an agent's main one, which a page may open before anything was said", async () => {
    const path = "/v1/sessions/agent:other:main";
    expect(await (await call("GET", `${path}/history`)).json()).toEqual({ messages: [], cursor: 0 });
    expect(await (await call("GET", `${path}/runs`)).json()).toEqual({ runs: [] });
    const events = await call("GET", `${path}/events?after=0`);
    expect(events.status).toBe(200);
    await script("main", [{ text: "Heard." }]);
    await say("Hello", "main", { sessionKey: "agent:other:main" });
    const first = await events.body!.getReader().read();
    expect(new TextDecoder().decode(first.value)).toContain('"text":"Hello"');
    expect((await call("GET", "/v1/sessions/agent:nobody:main/history")).status).toBe(404);
  });

  test("is streamed from its beginning to a reader that waited since the previous one was deleted", async () => {
    const sessionKey = "agent:other:main";
    await script("reborn", [{ text: "First life." }, { text: "Second life." }]);
    await finished((await say("One", "reborn", { sessionKey })).runId);
    expect((await call("DELETE", `/v1/sessions/${sessionKey}`)).status).toBe(204);
    const socket = await openSocket(sessionKey);
    socket.resume(0);
    await socket.next("resumed");
    const events = await call("GET", `/v1/sessions/${sessionKey}/events?after=0`);
    const { runId } = await say("Two", "reborn", { sessionKey });
    await socket.end(runId);
    expect(JSON.stringify(socket.events)).toContain("Second life.");
    expect(JSON.stringify(socket.events)).not.toContain("One");
    const first = await events.body!.getReader().read();
    expect(new TextDecoder().decode(first.value)).toContain('"text":"Two"');
    socket.close();
  });
});
