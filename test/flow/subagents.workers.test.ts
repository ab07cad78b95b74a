import { env, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import type { SessionCalls } from "../../src/session/api.ts";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { calling, childrenOf, spawning, stubByKey, textsIn, untilSaid } from "./family-lab.ts";
import { configure, session } from "./session-lab.ts";

const BOT = "7000000001:flow";

async function sentTo(chat: number): Promise<string[]> {
  const calls = await (await fetch(`${env.TEST_BOT_API}/control/${BOT}/calls`)).json<any[]>();
  return calls
    .filter(({ method, args }) => method === "sendMessage" && String(args.chat_id) === String(chat))
    .map(({ args }) => args.text);
}

/** What the tools of a run answered, parsed. */
async function resultsIn(sessionKey: string): Promise<any[]> {
  const { messages } = await historyOf(sessionKey);
  const results = (messages as any[]).filter(({ role }) => role === "tool");
  return results.map(({ text, isError }) => (isError ? text : JSON.parse(text)));
}

test("what a sub-agent found is told by its parent where the question came from, in the parent's words", async () => {
  await script("default", [
    spawning("barrels", { label: "barrels" }),
    { text: "I am on it." },
    { text: "Three barrels!" },
  ]);
  await script("barrels", [{ text: "3 barrels, one leaks", delayMs: 800, usage: { input: 70, output: 7 } }]);
  const message = {
    ...{ message_id: 1, date: 1_780_000_000, text: "How many barrels?" },
    ...{ chat: { id: 43, type: "private" }, from: { id: 43, is_bot: false, first_name: "Ada" } },
  };
  await SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
    body: JSON.stringify({ update_id: 1, message }),
  });
  await waitFor(async () => (await sentTo(43)).length === 2);
  expect(await sentTo(43)).toEqual(["I am on it.", "Three barrels!"]);
  const [answer] = await resultsIn("agent:main:main");
  expect(answer).toMatchObject({ status: "accepted", note: expect.stringContaining("do not poll") });
  const [child] = await childrenOf("agent:main:main");
  expect(child).toMatchObject({ key: answer.childSessionKey, open: false, phase: { status: "ended", outcome: "ok" } });
  expect(child.key).toMatch(/^agent:main:subagent:[0-9a-z]{26}$/);
  const notice = (await textsIn("agent:main:main")).find((text) => text.startsWith("[System]"))!;
  expect(notice).toMatch(/^\[System\] The sub-agent "barrels" is done \(\d+ s, 70 tokens read, 7 written\)\.$/m);
  expect(notice).toContain("3 barrels, one leaks");
  expect(notice).toContain(child.key);
  expect(notice).toContain("NO_REPLY");
});

test("a parent that answers a sub-agent's result with the silent token sends nothing more", async () => {
  await script("quiet", [spawning("quiet-child"), { text: "Started." }, { text: "NO_REPLY" }]);
  await script("quiet-child", [{ text: "Nothing new.", delayMs: 800 }]);
  const chat = chatOf(4301);
  expect(await settled(await hear("quiet", chat, "Look"), chat)).toEqual(["Started."]);
  await waitFor(async () => (await asked("quiet")).length === 3);
  const { sessionKey } = session("quiet");
  const announced = async () => (await historyOf(sessionKey)).messages as unknown as { role: string; runId: string }[];
  await waitFor(async () => (await announced()).filter(({ role }) => role === "assistant").length === 3);
  expect(await settled((await announced()).at(-1)!.runId, chat)).toEqual(["Started."]);
});

test("a sub-agent gets the minimal prompt, the files that work needs, its context, and no more tools than its depth allows", async () => {
  await script("minimal", [spawning("minimal-1"), { text: "ok" }]);
  await script("minimal-1", [spawning("minimal-2"), { text: "ok" }]);
  await say("Go", "minimal", session("minimal"));
  await waitFor(async () => (await asked("minimal-2")).length === 1);
  const [first, second] = [(await asked("minimal-1"))[0]!.body, (await asked("minimal-2"))[0]!.body];
  const [system] = first.messages;
  expect(system.content).toContain(
    '## Subagent Context\nYou are the sub-agent "minimal-1", started by the session agent:main:hook:minimal',
  );
  expect(system.content).toContain("## AGENTS.md");
  expect(system.content).toContain("## Safety");
  for (const absent of ["## SOUL.md", "## USER.md", "## Messaging", "Authorized"])
    expect(system.content).not.toContain(absent);
  expect(first.messages[1]).toMatchObject({ role: "user", content: "Count." });
  const names = ({ tools }: any) => tools.map((tool: any) => tool.function.name);
  expect(names(first)).toEqual(expect.arrayContaining(["sessions_spawn", "subagents", "sessions_history"]));
  expect(names(second).filter((name: string) => /^sessions_|agents|message/.test(name))).toEqual([]);
});

test("a repeated sessions_spawn call starts no second sub-agent, and a call with the same id in another reply does", async () => {
  const again = {
    calls: [{ id: "call_same", name: "sessions_spawn", args: { task: "Count.", model: "fake/same-child" } }],
  };
  await script("same", [again, again, { text: "Both." }, { text: "ok" }]);
  await script("same-child", [{ text: "done" }]);
  await finished((await say("Go", "same", session("same"))).runId);
  expect(await childrenOf(session("same").sessionKey)).toHaveLength(2);
});

test("no more sub-agents are at work at once than may be, also when they are asked for together", async () => {
  const { calls } = spawning("limit-child");
  await script("limit", [{ calls: [1, 2, 3, 4].flatMap(() => calls ?? []) }, { text: "ok" }]);
  await script("limit-child", [{ hang: true }]);
  const { runId } = await say("Go", "limit", session("limit"));
  await finished(runId);
  const results = await resultsIn(session("limit").sessionKey);
  expect(results.filter(({ status }) => status === "accepted")).toHaveLength(3);
  expect(results.filter((result) => typeof result === "string")).toEqual([
    "3 sub-agents are at work, and agents.defaults.subagents.maxChildren is 3. Wait for one to end, or stop one.",
  ]);
  await call("POST", `/v1/sessions/${session("limit").sessionKey}/abort`);
});

test("where no depth is left there is no tool to start one with, and where a depth of 0 is set there is none at all", async () => {
  const name = "no-depth";
  await configure(name, (config) => {
    config.agents.defaults.subagents.maxSpawnDepth = 0;
    return config;
  });
  await script(name, [{ text: "ok" }]);
  await finished((await say("Go", name, session(name))).runId);
  const tools = (await asked(name))[0]!.body.tools.map((tool: any) => tool.function.name);
  expect(tools).toEqual(expect.arrayContaining(["sessions_list", "sessions_send"]));
  for (const absent of ["sessions_spawn", "subagents", "agents_list"]) expect(tools).not.toContain(absent);
});

test("only agents that are allowed can be started, and agents_list names them", async () => {
  await script("allow", [
    calling("agents_list", {}),
    calling("sessions_spawn", { task: "x", agentId: "third" }),
    calling("sessions_spawn", { task: "x", agentId: "nobody" }),
    calling("sessions_spawn", { task: " " }),
    calling("sessions_spawn", { task: "x", model: "nowhere/x" }),
    spawning("allow-child", { agentId: "other" }),
    { text: "ok" },
  ]);
  await script("allow-child", [{ text: "done" }]);
  await finished((await say("Go", "allow", session("allow"))).runId);
  const [agents, third, nobody, empty, model, started] = await resultsIn(session("allow").sessionKey);
  expect(agents).toEqual({ agents: [{ id: "main" }, { id: "other" }] });
  expect(third).toContain("subagents.allowAgents leaves main, other");
  expect(nobody).toContain("'nobody' cannot be started");
  expect(empty).toContain("say what is to be done");
  expect(model).toContain("model: ");
  expect(started.childSessionKey).toMatch(/^agent:other:subagent:/);
  await waitFor(async () => (await asked("allow-child")).length === 1);
  expect((await asked("allow-child"))[0]!.body.messages[0].content).toContain("agent=other");
});

test("a sub-agent's task that looks like a command is a task", async () => {
  await script("typed", [spawning("typed-child", { task: "/stop" }), { text: "ok" }]);
  await script("typed-child", [{ text: "What should I stop?" }]);
  await say("Go", "typed", session("typed"));
  await untilSaid(session("typed").sessionKey, "What should I stop?");
});

test("a sub-agent's failure and its time running out are told, too", async () => {
  await script("fails", [spawning("fails-child"), spawning("late-child", { runTimeoutSeconds: 1 }), { text: "ok" }]);
  await script("fails-child", [{ status: 400, body: { error: { message: "no such thing" } } }]);
  await script("late-child", [{ hang: true }]);
  await say("Go", "fails", session("fails"));
  await untilSaid(session("fails").sessionKey, '"fails-child" failed');
  await untilSaid(session("fails").sessionKey, '"late-child" ran out of time');
  const notices = (await textsIn(session("fails").sessionKey)).filter((text) => text.startsWith("[System]"));
  expect(notices[0]).toContain("no such thing");
  expect(notices[1]).toContain("It reported nothing.");
});

test("of a long result the beginning is told, and the whole is to be had with sessions_history", async () => {
  const long = `${"long ".repeat(2000)}the end`;
  await script("long", [
    spawning("long-child"),
    { text: "ok" },
    calling("sessions_history", { sessionKey: "long-child", limit: 1 }),
    { text: "Read." },
  ]);
  await script("long-child", [{ text: long, chunkSize: 5000, delayMs: 800 }]);
  await say("Go", "long", session("long"));
  await untilSaid(session("long").sessionKey, "2007 more characters are to be had with sessions_history");
  await waitFor(async () => (await resultsIn(session("long").sessionKey)).length === 2);
  expect((await resultsIn(session("long").sessionKey))[1].messages).toMatchObject([{ role: "assistant", text: long }]);
});

test("an announcement joins a run at work before its next model call, and skips none of its tools", async () => {
  await script("busy", [
    spawning("busy-child"),
    { calls: [{ name: "write", args: { path: "busy.md", content: "kept" } }], delayMs: 600 },
    { text: "Written, and counted." },
  ]);
  await script("busy-child", [{ text: "7" }]);
  const { runId } = await say("Go", "busy", session("busy"));
  expect(await finished(runId)).toMatchObject({ reply: "Written, and counted." });
  expect(await (await call("GET", "/v1/agents/main/workspace/busy.md")).text()).toBe("kept");
  expect(await asked("busy")).toHaveLength(3);
  const last = (await asked("busy"))[2]!.body.messages.at(-1);
  expect(last).toMatchObject({ role: "user", content: expect.stringContaining("[System] The sub-agent") });
});

test("a sub-agent is steered while it works, works again when it has ended, and its results are announced", async () => {
  await script("steer-sub", [
    spawning("steer-child", { label: "Counter" }),
    { ...calling("subagents", { action: "steer", target: "counter", message: "Count twice." }), delayMs: 300 },
    { text: "ok" },
    calling("subagents", { action: "steer", target: "1", message: "And once more." }),
    { text: "Again." },
    { text: "NO_REPLY" },
  ]);
  await script("steer-child", [
    { ...calling("ls", {}), delayMs: 2500 },
    { text: "Counted twice." },
    { text: "Counted thrice." },
  ]);
  await say("Go", "steer-sub", session("steer-sub"));
  await untilSaid(session("steer-sub").sessionKey, "Counted twice.");
  await untilSaid(session("steer-sub").sessionKey, "Counted thrice.");
  expect(await asked("steer-child")).toHaveLength(3);
  const [child] = await childrenOf(session("steer-sub").sessionKey);
  expect((await textsIn(child.key)).filter((text) => /^(Count|And)/.test(text))).toEqual([
    ...["Count.", "Count twice.", "Counted twice.", "And once more.", "Counted thrice."],
  ]);
  await waitFor(async () => (await childrenOf(session("steer-sub").sessionKey))[0]?.open === false);
});

test("a sub-agent with sub-agents of its own reports when they have reported", async () => {
  await script("deep", [spawning("deep-1"), { text: "ok" }, { text: "Told." }]);
  await script("deep-1", [spawning("deep-2"), { text: "I wait for deep-2." }, { text: "Together: 12." }]);
  await script("deep-2", [{ text: "12", delayMs: 1000 }]);
  await say("Go", "deep", session("deep"));
  await untilSaid(session("deep").sessionKey, "Told.");
  const notices = (await textsIn(session("deep").sessionKey)).filter((text) => text.startsWith("[System]"));
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain("Together: 12.");
  expect(notices[0]).not.toContain("I wait for deep-2.");
});

test("an agent that a stranger talks to reaches no other session", async () => {
  await script("default", [{ text: "Hello." }]);
  const { sessionKey } = session("stranger");
  const stub = (await stubByKey(sessionKey)) as unknown as SessionCalls;
  const runId = newRunId(await objectNameOf(sessionKey), Date.now());
  const input = { text: "Hi", sender: { id: "9", owner: false }, timeoutSeconds: 60 };
  await stub.accept({ sessionKey, agentId: "main", runId, input });
  await finished(runId);
  const names = (await asked("default"))[0]!.body.tools.map((tool: any) => tool.function.name);
  expect(names.filter((name: string) => /^sessions_|agents/.test(name))).toEqual([]);
});
