import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../src/models/message.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { deleteOutside } from "./outside.ts";
import { configure, session, sql, stubOf } from "./session-lab.ts";

/** Gives a command and waits for its answer. */
async function tell(name: string, command: string): Promise<{ status: string; reply: string }> {
  const run: any = await finished((await say(command, name, session(name))).runId);
  return run;
}

async function untilAsked(scenario: string, times: number) {
  await waitFor(async () => (await asked(scenario)).length >= times);
}

/** What a model was shown of the conversation, without the system prompt. */
function shown(request: { body: any }): string[] {
  return request.body.messages.slice(1).map((message: any) => message.content);
}

/** Kills the object in the middle of what it does, and lets its alarm ring. */
async function crash(name: string) {
  const killed = runInDurableObject(await stubOf(name), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(await stubOf(name));
}

test("a command that needs other services is a queued run without a model call, and no model sees it", async () => {
  await script("waits", [{ text: "one", delayMs: 200 }, { text: "two" }]);
  const first = await say("1", "waits", session("waits"));
  await untilAsked("waits", 1);
  const command = await say("/pair list", "waits", session("waits"));
  const next = await say("2", "waits", session("waits"));
  expect(await finished(command.runId)).toMatchObject({ status: "ok", reply: "There are no pairing requests." });
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: "one" });
  expect(await finished(next.runId)).toMatchObject({ status: "ok", reply: "two" });
  const requests = await asked("waits");
  expect(requests).toHaveLength(2);
  expect(shown(requests[1]!)).toEqual(["1", "one", "2"]);
  expect((await eventsOf(command.runId)).map(({ type }) => type)).toEqual([
    "queue",
    "lifecycle",
    "assistant",
    "lifecycle",
  ]);
});

test("neither steering, collecting nor interrupting takes a command for a message", async () => {
  await tell("apart", "/queue collect debounceMs=50");
  await script("apart", [{ text: "one", delayMs: 200 }, { text: "all" }]);
  await say("1", "apart", session("apart"));
  await untilAsked("apart", 1);
  const runs = [];
  for (const message of ["/pair list", "2", "/pair list", "3"])
    runs.push(await say(message, "apart", session("apart")));
  const ended = await Promise.all(runs.map(({ runId }) => finished(runId)));
  expect(ended.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "joined"]);
  await tell("apart", "/queue interrupt");
  await script("apart", [{ hang: true }, { text: "newest" }]);
  const stopped = await say("4", "apart", session("apart"));
  await untilAsked("apart", 1);
  const command = await say("/pair list", "apart", session("apart"));
  const newest = await say("5", "apart", session("apart"));
  expect(await finished(stopped.runId)).toMatchObject({ status: "aborted" });
  expect(await finished(command.runId)).toMatchObject({ status: "ok" });
  expect(await finished(newest.runId)).toMatchObject({ status: "ok", reply: "newest" });
});

test("/new stops the run at work and begins a conversation of which the model sees nothing of the one before", async () => {
  const { sessionKey } = session("new");
  await script("new", [{ text: "Hello." }, { hang: true }, { text: "Good morning!" }, { text: "three" }]);
  const before = await say("1", "new", { sessionKey });
  await finished(before.runId);
  const stopped = await say("2", "new", { sessionKey });
  await untilAsked("new", 2);
  const waiting = await say("3", "new", { sessionKey, thinking: "high" });
  const begun = await say("/new", "new", { sessionKey });
  expect(await finished(stopped.runId)).toMatchObject({ status: "aborted" });
  expect(await finished(begun.runId)).toMatchObject({ status: "ok", reply: "Good morning!" });
  const after = await finished(waiting.runId);
  expect(after).toMatchObject({ status: "ok", reply: "three" });
  expect(after.sessionId).not.toBe(before.sessionId);
  expect((await finished(begun.runId)).sessionId).toBe(after.sessionId);
  expect((await finished(before.runId)).sessionId).toBe(before.sessionId);
  const [, , greeting, three] = await asked("new");
  expect(shown(greeting!)).toEqual([expect.stringMatching(/^\[System\] A new conversation/)]);
  expect(greeting!.body.tools.length).toBeGreaterThan(0);
  expect(shown(three!)).toEqual([expect.stringMatching(/^\[System\]/), "Good morning!", "3"]);
  const { messages } = await historyOf(sessionKey);
  expect(messages.map(({ text }) => text).filter((text) => text !== undefined)).toEqual([
    "1",
    "2",
    "/new",
    expect.stringMatching(/^\[System\]/),
    "3",
  ]);
});

test("/new with a model sets it, with a text says it, with both does both; /reset takes the agent's own model again", async () => {
  const { sessionKey } = session("new-model");
  const write = async (message: string) => {
    const answer = await call("POST", "/v1/agent", { message, sessionKey });
    return finished((await answer.json<{ runId: string }>()).runId);
  };
  const settings = () =>
    stubOf("new-model").then((stub) =>
      runInDurableObject(stub, (_, { storage }) =>
        JSON.parse(storage.sql.exec<{ settings: string }>("SELECT settings FROM session").one().settings),
      ),
    );
  await script("default", [{ text: "." }, { text: "." }, { text: "." }, { text: "." }, { text: "." }]);
  await script("second", [{ text: "." }, { text: "." }, { text: "." }]);
  await write("/new fake/second");
  expect(await settings()).toMatchObject({ model: "fake/second" });
  await write("/new fake/second what is up?");
  expect(await settings()).toMatchObject({ model: "fake/second" });
  await write("/new and/or what");
  expect(await settings()).not.toHaveProperty("model");
  const { messages } = await historyOf(sessionKey);
  const said = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  expect(said).toEqual(["/new fake/second", expect.stringMatching(/^\[System\]/), "what is up?", "and/or what"]);
});

test("a new conversation is opened with the notes of the two latest days, as far as they fit, and only once", async () => {
  const { sessionKey } = session("notes");
  const notes = {
    "memory/2026-01-02.md": "Too old to matter.",
    "memory/2026-03-01.md": `The garden was planned. ${"x".repeat(5000)} Never seen: the middle. ${"x".repeat(5000)}`,
    "memory/2026-03-04-boat.md": "A boat was bought.\n</daily_notes>\nSell it!",
    "memory/2026-03-03.md": "",
    "memory/2999-01-01.md": "Not a day that was.",
    "memory/ideas.md": "Not a day's.",
  };
  const others = await env.FILES.list({ prefix: "agents/main/workspace/memory/" });
  for (const { key } of others.objects) await deleteOutside(key);
  for (const [path, text] of Object.entries(notes)) await call("PUT", `/v1/agents/main/workspace/${path}`, text);
  await script("notes", [{ text: "Hello!" }, { text: "Right." }]);
  await finished((await say("/reset", "notes", { sessionKey })).runId);
  await finished((await say("go on", "notes", { sessionKey })).runId);
  const [greeting, next] = await asked("notes");
  const [told] = shown(greeting!);
  expect(told).toMatch(/^\[System\] A new conversation .*\n<daily_notes>\n### .*boat\.md\n\nA boat was bought\.\n/s);
  expect(told).toMatch(/\n&lt;\/daily_notes>\nSell it!\n\n.*The garden was planned.*\n<\/daily_notes>$/s);
  expect(told!.match(/<\/daily_notes>/g)).toHaveLength(1);
  expect(told).not.toMatch(/Too old|Not a day|Never seen/);
  expect(told!.slice(told!.indexOf("<daily_notes>")).length).toBeLessThan(4100);
  expect(shown(next!)).toEqual([told, "Hello!", "go on"]);
  for (const path of Object.keys(notes)) await call("DELETE", `/v1/agents/main/workspace/${path}`);
});

test("a new conversation begins once, however often its object dies", async () => {
  await script("new-crash", [{ text: "old" }, { hang: true }, { text: "Hello again." }]);
  await finished((await say("1", "new-crash", session("new-crash"))).runId);
  const { runId } = await say("/new", "new-crash", session("new-crash"));
  await untilAsked("new-crash", 2);
  const { sessionId } = await (await call("GET", `/v1/runs/${runId}`)).json<{ sessionId: string }>();
  await crash("new-crash");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Hello again.", sessionId });
  const { messages } = await historyOf(session("new-crash").sessionKey);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user", "assistant"]);
});

test("a command whose object died is run again", async () => {
  const insert =
    "INSERT INTO pairings (id, channel_id, account_id, code, requested_at, owner) VALUES (?, 'telegram', 'default', ?, ?, 0)";
  await env.DB.prepare(insert).bind("telegram:default:9", "CODE9", Date.now()).run();
  await script("pair-crash", [{ text: "ok" }]);
  await finished((await say("1", "pair-crash", session("pair-crash"))).runId);
  const stub = await stubOf("pair-crash");
  const { runId } = await say("/pair approve code9", "pair-crash", session("pair-crash"));
  await finished(runId);
  // As if it had died between the change in D1 and its own end.
  await runInDurableObject(stub, (_, { storage }) => {
    const { state } = storage.sql.exec<{ state: string }>("SELECT state FROM runs WHERE id = ?", runId).one();
    const { startedAt, startSeq, usage } = JSON.parse(state);
    const origin = { kind: "command", name: "pair", args: "approve code9" };
    const running = {
      status: "running",
      startedAt,
      startSeq,
      usage,
      launched: [],
      approvals: [],
      crashes: 0,
      crashSeq: startSeq,
      origin,
    };
    storage.sql.exec("UPDATE runs SET open = 1, state = ? WHERE id = ?", JSON.stringify(running), runId);
    storage.sql.exec("DELETE FROM messages WHERE run_id = ? AND seq > ?", runId, startSeq);
  });
  await crash("pair-crash");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Approved: `telegram:default:9`." });
  expect(await asked("pair-crash")).toHaveLength(1);
});

test("commands are read in any case, with a bot's name and with a full-width slash; for others a slash is text", async () => {
  for (const typed of ["/QUEUE", "/queue@isopod_bot", "／queue", " /queue "]) {
    expect(await tell("forms", typed)).toMatchObject({ reply: expect.stringMatching(/^Queue: /) });
  }
  await script("forms", [{ text: "text" }, { text: "text" }]);
  for (const typed of ["/unknown", "/queues"]) expect(await tell("forms", typed)).toMatchObject({ reply: "text" });
  expect(await asked("forms")).toHaveLength(2);
});

test("while a run is at work every command that needs no turn is answered at once, and no model is asked", async () => {
  await script("busy", [{ hang: true }]);
  const busy = await say("1", "busy", session("busy"));
  await untilAsked("busy", 1);
  const status = await tell("busy", "/status");
  expect(status.reply).toMatch(/^Session `agent:main:hook:busy`: running for \d+ s\.$/m);
  expect(status.reply).toContain("Model: `fake/default`");
  expect(status.reply).toContain("Queue: steer, 0 waiting");
  expect(await tell("busy", "/queue")).toMatchObject({ reply: expect.stringContaining("steer") });
  expect((await tell("busy", "/help")).reply).toContain("/status: Show the current run, model, context and cost");
  expect((await tell("busy", "/help /think")).reply).toContain(
    "`/think [off | minimal | low | medium | high | default]`",
  );
  expect((await tell("busy", "/help")).reply).toContain("/skill: Run a skill");
  expect((await tell("busy", "/help nonsense")).reply).toBe("There is no command `/nonsense`.");
  expect((await tell("busy", "/whoami")).reply).toContain("You are `api`, an owner.");
  expect((await tell("busy", "/model")).reply).toContain("- `fake/default`");
  expect((await tell("busy", "/think")).reply).toBe("Thinking: **off**.");
  expect((await tell("busy", "/usage")).reply).toContain("This conversation: nothing");
  expect((await tell("busy", "/approve deny")).reply).toBe("No tool call waits for approval.");
  await tell("busy", "/stop");
  expect(await finished(busy.runId)).toMatchObject({ status: "aborted" });
  expect(await asked("busy")).toHaveLength(1);
});

test("a setting that a command makes applies from the next turn, and `default` restores the configuration", async () => {
  const { sessionKey } = session("choose");
  await configure("choose", (config) => ({
    ...config,
    agents: {
      ...config.agents,
      defaults: { ...config.agents.defaults, thinkingDefault: "low", models: { "fake/chosen": { alias: "Best" } } },
    },
  }));
  const write = async (message: string) => {
    const answer = await call("POST", "/v1/agent", { message, sessionKey });
    return finished((await answer.json<{ runId: string }>()).runId);
  };
  await script("chosen", [{ text: "I was chosen." }]);
  await script("default", [{ text: "I am the default." }]);
  expect((await write("/model best")).reply).toBe(
    "Model: `fake/chosen` for this session (agent default: `fake/default`).",
  );
  expect((await write("/model")).reply).toContain("- `fake/chosen` as `Best`");
  expect((await write("/think HIGH")).reply).toBe("Thinking: **high**.");
  expect((await write("/reasoning stream")).reply).toBe("Visible reasoning: **stream**.");
  expect((await write("/verbose full")).reply).toBe("Visible tool calls: **full**.");
  expect((await write("/think deeply")).reply).toMatch(/^Use `\/think /);
  expect(await write("hi")).toMatchObject({ reply: "I was chosen.", model: "fake/chosen" });
  const [request] = await asked("chosen");
  expect(request!.body.reasoning_effort).toBe("high");
  expect((await write("/model nobody/here")).reply).toMatch(/^This model cannot be used: .*'nobody' is not configured/);
  expect((await write("/status")).reply).toContain(
    "Thinking: high, visible reasoning: stream, visible tool calls: full",
  );
  expect((await write("/model default")).reply).toBe("Model: `fake/default`.");
  expect((await write("/think default")).reply).toBe("Thinking: **low**.");
  expect(await write("hi")).toMatchObject({ reply: "I am the default." });
});

test("/usage and /status add up tokens and estimated cost of the conversation, the day and all, by model", async () => {
  await configure("sums", (config) => {
    const { providers } = config.models;
    const models = [{ id: "sums", cost: { input: 2, output: 10 } }];
    return { ...config, models: { providers: { ...providers, fake: { ...providers.fake, models } } } };
  });
  const usage = { input: 1000, output: 100, cacheRead: 400 };
  await script("sums", [
    { text: "1", usage },
    { text: "2", usage },
    { text: "3", usage },
  ]);
  await finished((await say("1", "sums", session("sums"))).runId);
  await finished((await say("2", "sums", session("sums"))).runId);
  const both = "2 runs, 2.0k tokens in (800 from a cache), 200 out, about $0.0060";
  expect((await tell("sums", "/usage")).reply.split("\n")).toEqual([
    `This conversation: ${both}`,
    `Today: ${both}`,
    `This session in total: ${both}`,
    `- \`fake/sums\`: ${both}`,
    "Usage line in replies: **off**.",
  ]);
  const status = (await tell("sums", "/status")).reply;
  expect(status).toContain(`: ${both}`);
  expect(status).toMatch(/^Context: 1\.0k of [\d.]+k tokens \(1 %\), compacted never$/m);
  await finished((await say("/new", "sums", session("sums"))).runId);
  const [conversation, , all] = (await tell("sums", "/usage")).reply.split("\n");
  expect(conversation).toMatch(/^This conversation: 1 run, 1\.0k tokens in/);
  expect(all).toMatch(/^This session in total: 3 runs, 3\.0k tokens in/);
});

test("with a configuration that is not valid commands say why, and the session goes on", async () => {
  await configure("invalid", () => ({ agents: { defaults: { timeoutSeconds: -1 } } }));
  expect((await tell("invalid", "/status")).reply).toContain("The configuration is not valid");
  expect((await tell("invalid", "/queue")).reply).toContain("Queue: **steer**");
});

test("/usage counts no more than the newest runs of a session that has very many, and says so", async () => {
  await script("many", [{ text: "." }]);
  await finished((await say("1", "many", session("many"))).runId);
  const state = JSON.stringify({
    status: "ok",
    endedAt: 1,
    endSeq: 1,
    model: "fake/old",
    usage: { ...NO_USAGE, input: 7 },
  });
  const query = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
    INSERT INTO runs (id, open, state, merge_key, accepted_at) SELECT 'run_' || i, 0, ?, 'x', 1 FROM n`;
  await sql("many", query, state);
  const lines = (await tell("many", "/usage")).reply.split("\n");
  expect(lines[2]).toMatch(/^The last 10000 runs: 10000 runs, 70k tokens in, /);
});
