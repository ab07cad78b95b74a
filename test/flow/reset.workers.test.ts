import { env, evictDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import { callSession } from "../../src/session/api.ts";
import { asked, finished, historyOf, say, script, waitFor } from "./client.ts";
import { configure, rewrite, session, sql, stubOf } from "./session-lab.ts";

const HOUR_MS = 3_600_000;

/** A session whose conversations end by themselves. */
async function open(name: string, reset: object) {
  await configure(name, (config) => ({ ...config, session: { reset } }));
}

/** Says something and waits for the answer. Gives what the model was shown of the conversation. */
async function shownAt(name: string, message: string): Promise<string[]> {
  await finished((await say(message, name, session(name))).runId);
  return (await asked(name))
    .at(-1)!
    .body.messages.slice(1)
    .map(({ content }: any) => content);
}

/** As if all that was said had been said so much earlier. */
async function age(name: string, ms: number) {
  await rewrite(name, "UPDATE session SET active_at = active_at - ?", ms);
}

/** What the system itself says to the session. */
async function announce(name: string, text: string) {
  const { sessionKey } = session(name);
  const objectName = await objectNameOf(sessionKey);
  const origin = { kind: "announcement" as const, childKey: "agent:main:subagent:x", childRunId: "run_x" };
  const input = { text, origin, sender: { id: "system", owner: true }, model: `fake/${name}`, timeoutSeconds: 60 };
  const request = { sessionKey, agentId: "main", runId: newRunId(objectName, Date.now()), input };
  const { runId } = await callSession(env, { name: objectName }, (called) => called.accept(request));
  await finished(runId);
}

afterEach(() => void vi.useRealTimers());

test("after a pause the next message is the first of a new conversation, without a greeting", async () => {
  await open("idle-reset", { mode: "idle", idleMinutes: 60 });
  await script("idle-reset", [{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }]);
  await shownAt("idle-reset", "1");
  const first = (await say("2", "idle-reset", session("idle-reset"))).sessionId;
  await age("idle-reset", 59 * 60_000);
  expect(await shownAt("idle-reset", "3")).toEqual(["1", "a", "2", "b", "3"]);
  await age("idle-reset", HOUR_MS);
  expect(await shownAt("idle-reset", "4")).toEqual(["4"]);
  const { messages } = await historyOf(session("idle-reset").sessionKey);
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(4);
  expect((await say("5", "idle-reset", session("idle-reset"))).sessionId).not.toBe(first);
});

test("with a daily reset the next message after the hour begins a new conversation, also when it wakes the object", async () => {
  await open("daily", { mode: "daily", atHour: 4 });
  await script("daily", [{ text: "a" }, { text: "b" }, { text: "c" }]);
  await shownAt("daily", "1");
  await age("daily", 24 * HOUR_MS);
  await evictDurableObject(await stubOf("daily"));
  await open("daily", { mode: "daily", atHour: 4 });
  expect(await shownAt("daily", "2")).toEqual(["2"]);
  expect(await shownAt("daily", "3")).toEqual(["2", "b", "3"]);
});

test("a system message neither delays the reset of a conversation nor begins a new one", async () => {
  await open("system", { mode: "idle", idleMinutes: 60 });
  await script("system", [{ text: "a" }, { text: "b" }, { text: "c" }]);
  await shownAt("system", "1");
  await age("system", HOUR_MS);
  await announce("system", "[System] done");
  const shown = (await asked("system"))
    .at(-1)!
    .body.messages.slice(1)
    .map(({ content }: any) => content);
  expect(shown).toEqual(["1", "a", "[System] done"]);
  expect(await shownAt("system", "2")).toEqual(["2"]);
});

test("a command neither delays the reset nor begins a new conversation, and without a rule nothing is stored", async () => {
  await open("unmoved", { mode: "idle", idleMinutes: 60 });
  await script("unmoved", [{ text: "a" }, { text: "b" }]);
  await shownAt("unmoved", "1");
  await age("unmoved", HOUR_MS);
  for (const command of ["/status", "/pair list"]) {
    expect(await finished((await say(command, "unmoved", session("unmoved"))).runId)).toMatchObject({ status: "ok" });
  }
  expect(await shownAt("unmoved", "2")).toEqual(["2"]);
  await script("no-rule", [{ text: "a" }]);
  await shownAt("no-rule", "1");
  expect(await sql("no-rule", "SELECT active_at FROM session")).toEqual([{ active_at: 0 }]);
});

test("a message that joins an active run delays the reset as well", async () => {
  vi.useFakeTimers({ toFake: ["Date"], shouldAdvanceTime: true });
  await open("joined", { mode: "idle", idleMinutes: 60 });
  await script("joined", [{ calls: [{ name: "ls", args: {} }], delayMs: 200 }, { text: "a" }, { text: "b" }]);
  const first = await say("1", "joined", session("joined"));
  await waitFor(async () => (await asked("joined")).length === 1);
  vi.setSystemTime(Date.now() + 0.7 * HOUR_MS);
  const second = await say("2", "joined", session("joined"));
  expect(await finished(second.runId)).toMatchObject({ status: "joined", intoRunId: first.runId });
  await finished(first.runId);
  vi.setSystemTime(Date.now() + 0.7 * HOUR_MS);
  expect((await shownAt("joined", "3")).filter((text) => /^\d$/.test(text))).toEqual(["1", "2", "3"]);
});

test("a message from another session is never a command, whatever it looks like", async () => {
  await script("said", [{ text: "a" }, { text: "b" }]);
  await shownAt("said", "1");
  await announce("said", "/new");
  expect(
    (await asked("said"))
      .at(-1)!
      .body.messages.map(({ content }: any) => content)
      .slice(1),
  ).toEqual(["1", "a", "/new"]);
});
