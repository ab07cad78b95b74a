import { expect, test } from "vitest";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { asked, finished, say, script, waitFor } from "./client.ts";
import { pages, talked } from "./context-lab.ts";
import { auditOf, turn } from "./plugin-lab.ts";
import { evict, kill, plug, session } from "./session-lab.ts";

test("session_start, session_end and message_received run when conversations begin and end and messages arrive", async () => {
  const name = "boundaries";
  await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }]);
  const told: unknown[] = [];
  const received: unknown[] = [];
  await turn(name, {
    session_start: { run: ({ sessionId, reason }) => void told.push(["start", sessionId, reason]) },
    session_end: { run: ({ sessionId, reason }) => void told.push(["end", sessionId, reason]) },
    "command:new": { run: ({ endedSessionId, source }) => void told.push(["new", endedSessionId, source]) },
    message_received: { run: ({ text, sender }) => void received.push([text, sender?.owner]) },
    agent_end: { run: ({ status, messages }) => void told.push([status, messages.map(({ role }) => role).join(" ")]) },
  });
  const again = await say("again", name, session(name));
  await finished(again.runId);
  const begun = await finished((await say("/new", name, session(name))).runId);
  await waitFor(async () => told.length === 7);
  const words = JSON.parse(
    JSON.stringify(told).replaceAll(again.sessionId, "one").replaceAll(String(begun.sessionId), "two"),
  );
  expect(words).toEqual([
    ["start", "one", "created"],
    ["ok", "user assistant"],
    ["ok", "user assistant user assistant"],
    ["end", "one", "new"],
    ["new", "one", "api"],
    ["start", "two", "new"],
    ["ok", "user assistant"],
  ]);
  expect(received).toEqual([
    ["hello", true],
    ["again", true],
    ["/new", true],
  ]);
});

test("session_start runs again when the object dies before the model has answered, and not after that", async () => {
  const name = "told-again";
  await script(name, [
    { text: "1" },
    { hang: true },
    { calls: [{ name: "ls", args: {} }] },
    { hang: true },
    { text: "4" },
  ]);
  await finished((await say("hello", name, session(name))).runId);
  const told: string[] = [];
  const listen = definePlugin({
    name: "t",
    summary: "t",
    hooks: {
      session_end: { run: ({ reason }) => void told.push(`end ${reason}`) },
      session_start: { run: ({ reason }) => void told.push(`start ${reason}`) },
    },
  });
  await evict(name);
  await plug(name, [listen]);
  const { runId } = await say("/new", name, session(name));
  for (const times of [2, 4]) {
    await waitFor(async () => (await asked(name)).length === times);
    await kill(name, [listen]);
  }
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "4" });
  expect(told).toEqual(["end new", "start new", "end new", "start new"]);
});

test("a message that is handed over twice is received once", async () => {
  const name = "received";
  await script(name, [{ text: "ok" }]);
  const told: string[] = [];
  await plug(name, [
    definePlugin({ name: "t", summary: "t", hooks: { message_received: { run: ({ text }) => void told.push(text) } } }),
  ]);
  for (let i = 0; i < 3; i++) await say("once", name, { ...session(name), idempotencyKey: "same" });
  await finished((await say("last", name, session(name))).runId);
  expect(told).toEqual(["once", "last"]);
});

test("every command is on the audit trail, without what was typed after it", async () => {
  const name = "commands";
  await script(name, [{ text: "Hi." }]);
  await finished((await say("/queue collect", name, session(name))).runId);
  await finished((await say("/pair list", name, session(name))).runId);
  await finished((await say("/new my secret plan", name, session(name))).runId);
  const lines = (await auditOf(name, 3)).map(({ kind, by, subject, detail }) => [kind, by, subject, detail]);
  expect(lines).toEqual([
    ["command", "api", "/queue", "in api, 7 characters after it"],
    ["command", "api", "/pair", "in api, 4 characters after it"],
    ["command", "api", "/new", "in api, 14 characters after it"],
  ]);
});

test("a plugin's hook for /stop gets the number of stopped runs", async () => {
  const name = "stopped";
  await script(name, [{ hang: true }]);
  const told: number[] = [];
  await plug(name, [
    definePlugin({
      name: "t",
      summary: "t",
      hooks: { "command:stop": { run: ({ runs }) => void told.push(runs) } },
    }),
  ]);
  await say("work", name, session(name));
  await waitFor(async () => (await asked(name)).length === 1);
  await finished((await say("/stop", name, session(name))).runId);
  await waitFor(async () => told.length === 1);
  expect(told).toEqual([1]);
});

test("before_compaction runs before a summary and after_compaction when it is stored", async () => {
  const name = "small-90";
  await talked(name, pages(8, 1600));
  await script(name, [{ text: "The user asked eight questions." }, { text: "Answer." }]);
  const told: unknown[] = [];
  await turn(name, {
    before_compaction: { run: ({ reason, tokensBefore }) => void told.push([reason, tokensBefore]) },
    after_compaction: {
      run: ({ reason, tokensBefore, tokensAfter }) =>
        void told.push([reason, tokensBefore, tokensAfter < tokensBefore]),
    },
  });
  expect(told).toEqual([
    ["threshold", expect.any(Number)],
    ["threshold", expect.any(Number), true],
  ]);
});
