import { expect, test } from "vitest";
import { asked, call, eventsOf, finished, historyOf, parseEvents, say, script, waitFor } from "./client.ts";

const session = (name: string) => ({ sessionKey: `agent:main:hook:${name}` });

test("a message gets a reply, and both are in the transcript", async () => {
  await script("hello", [{ text: "Hello there." }]);
  const { runId, sessionKey } = await say("Hi", "hello");
  expect(runId).toMatch(/^run_[0-9a-z]{52}$/);
  expect(sessionKey).toBe("agent:main:main");
  const run = await finished(runId);
  expect(run).toMatchObject({ status: "ok", reply: "Hello there.", model: "fake/hello", agentId: "main" });
  const { messages } = await historyOf(sessionKey);
  expect(messages).toMatchObject([
    { role: "user", text: "Hi", runId },
    { role: "assistant", runId, stop: "stop" },
  ]);
});

test("the events of a run are its start, what the model says, the message and the end, numbered in order", async () => {
  await script("events", [{ text: "One two three.", chunkSize: 4 }]);
  const { runId } = await say("Count", "events", session("events"));
  const events = await eventsOf(runId);
  const seqs = events.map((event) => event.seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(events.at(0)).toMatchObject({ type: "lifecycle", phase: "start", input: { text: "Count" } });
  expect(events.at(-1)).toMatchObject({ type: "lifecycle", phase: "end" });
  const message = events.find((event) => event.type === "assistant" && event.phase === "message");
  expect(message).toMatchObject({ message: { parts: [{ type: "text", text: "One two three." }] } });
});

test("one HTTP request sends a message and streams the events of its run", async () => {
  await script("one-request", [{ text: "All in one." }]);
  const body = { message: "x", model: "fake/one-request", ...session("one-request") };
  const response = await call("POST", "/v1/agent", body, { Accept: "text/event-stream" });
  expect(response.status).toBe(202);
  const events = parseEvents(await response.text());
  expect(events.at(0)).toMatchObject({ type: "lifecycle", phase: "start" });
  expect(events.at(-1)).toMatchObject({ type: "lifecycle", phase: "end" });
});

test("a reader that reconnects with Last-Event-ID continues there and gets no event twice", async () => {
  await script("resume", [{ text: "All of it." }]);
  const { runId } = await say("Go", "resume", session("resume"));
  await finished(runId);
  const all = await eventsOf(runId);
  for (const [at, event] of all.entries()) {
    expect(await eventsOf(runId, event.seq)).toEqual(at === all.length - 1 ? [] : all.slice(at + 1));
  }
});

test("the model reads and writes the workspace through tools, and its calls and their results are kept in pairs", async () => {
  await script("tools", [
    { calls: [{ name: "write", args: { path: "notes/cat.md", content: "Mochi" } }] },
    {
      calls: [
        { name: "read", args: { path: "notes/cat.md" } },
        { name: "ls", args: { path: "notes" } },
      ],
    },
    { text: "Your cat is called Mochi." },
  ]);
  const { runId, sessionKey } = await say("Remember my cat", "tools", session("tools"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Your cat is called Mochi." });
  const file = await call("GET", "/v1/agents/main/workspace/notes/cat.md");
  expect(await file.text()).toBe("Mochi");
  const { messages } = await historyOf(sessionKey);
  expect(messages.map((message) => message.role)).toEqual(
    "user assistant tool assistant tool tool assistant".split(" "),
  );
  const last = (await asked("tools")).at(-1)!.body.messages;
  const results = last.filter((message: any) => message.role === "tool").map((message: any) => message.content);
  expect(results).toContainEqual(expect.stringContaining("Mochi"));
  expect(results).toContainEqual(expect.stringContaining("cat.md"));
});

test("wrong arguments, unknown tools and failing tools become results that the model can act on", async () => {
  await script("wrong", [
    {
      calls: [
        { name: "read", args: { path: "no/such/file.md" } },
        { name: "read", args: { file: "a.md" } },
        { name: "fly", args: {} },
        { name: "browser", args: { action: "open" } },
      ],
    },
    { text: "I could not." },
  ]);
  const { runId, sessionKey } = await say("Try", "wrong", session("wrong"));
  await finished(runId);
  const results = (await historyOf(sessionKey)).messages.filter((message) => message.role === "tool");
  expect(results.map((result) => result.isError)).toEqual([true, true, true, true]);
  const texts = results.map((result) => result.text);
  expect(texts).toContainEqual(expect.stringMatching(/Wrong arguments[\s\S]*path/));
  expect(texts).toContainEqual(expect.stringMatching(/^There is no tool 'fly'\. Tools: .*read/));
  expect(texts).toContainEqual(
    expect.stringMatching(/^There is no tool 'browser'\. It needs a browser that is bound to the Worker.*`web_fetch`/),
  );
});

test("the same idempotency key is the same run, also when it comes twice at once", async () => {
  await script("once", [{ text: "Once." }]);
  const more = { ...session("once"), idempotencyKey: "key-1" };
  const answers = await Promise.all([say("A", "once", more), say("A", "once", more), say("A", "once", more)]);
  expect(new Set(answers.map((answer) => answer.runId)).size).toBe(1);
  await finished(answers[0]!.runId);
  expect(await say("A", "once", more)).toEqual(answers[0]);
  expect(await asked("once")).toHaveLength(1);
});

test("the same idempotency key with another message is a conflict, also when the first run has ended", async () => {
  await script("once-only", [{ text: "Once.", delayMs: 200 }]);
  const more = { ...session("once-only"), idempotencyKey: "key-2" };
  const other = async () => {
    const body = { message: "Something else", model: "fake/once-only", ...more };
    return (await call("POST", "/v1/agent", body)).status;
  };
  const { runId } = await say("A", "once-only", more);
  expect(await other()).toBe(409);
  await finished(runId);
  expect(await other()).toBe(409);
  const command = { ...session("once-only"), idempotencyKey: "key-3" };
  expect((await say("/status", "once-only", command)).runId).toBe((await say("/status", "once-only", command)).runId);
  const body = { message: "/stop", ...command };
  const refused = await (await call("POST", "/v1/agent", body)).json();
  expect(refused).toMatchObject({ error: { code: "conflict", hint: expect.stringContaining("key of its own") } });
  expect(await asked("once-only")).toHaveLength(1);
});

test("runs of one session go one after the other, in the order in which they were accepted", async () => {
  await finished((await say("/queue followup", "serial", session("serial"))).runId);
  await script("serial", [{ text: "first", delayMs: 150 }, { text: "second" }, { text: "third" }]);
  const runs = [
    await say("1", "serial", session("serial")),
    await say("2", "serial", session("serial")),
    await say("3", "serial", session("serial")),
  ];
  const ended = await Promise.all(runs.map((run) => finished(run.runId)));
  expect(ended.map((run) => run.reply)).toEqual(["first", "second", "third"]);
  const requests = await asked("serial");
  expect(requests.map((request) => request.body.messages.filter((m: any) => m.role === "user").length)).toEqual([
    1, 2, 3,
  ]);
});

test("sessions do not wait for each other", async () => {
  await script("slow", [{ text: "late", delayMs: 3000 }]);
  await script("fast", [{ text: "soon" }]);
  const slow = await say("x", "slow", session("slow"));
  const fast = await say("y", "fast", session("fast"));
  expect(await finished(fast.runId)).toMatchObject({ status: "ok" });
  expect(await (await call("GET", `/v1/runs/${slow.runId}`)).json()).toMatchObject({ status: "running" });
  await call("POST", `/v1/runs/${slow.runId}/abort`);
});

test("a wait that runs out says timeout and stops nothing", async () => {
  await script("patience", [{ text: "here", delayMs: 400 }]);
  const { runId } = await say("x", "patience", session("patience"));
  const short = await call("GET", `/v1/agent/wait?runId=${runId}&timeoutMs=20`);
  expect(await short.json()).toEqual({ status: "timeout" });
  const long = await (await call("GET", `/v1/agent/wait?runId=${runId}`)).json();
  expect(long).toMatchObject({ status: "ok", startedAt: expect.any(Number), endedAt: expect.any(Number) });
});

test("an abort stops the active run, closes the model's connection, and lets the next run start", async () => {
  await script("stop", [{ hang: true }, { text: "next" }]);
  const first = await say("x", "stop", session("stop"));
  const second = await say("y", "stop", session("stop"));
  await waitFor(async () => (await asked("stop")).length === 1);
  expect(await (await call("POST", `/v1/runs/${first.runId}/abort`)).json()).toMatchObject({ runId: first.runId });
  expect(await finished(first.runId)).toMatchObject({ status: "aborted", error: { code: "aborted" } });
  expect(await finished(second.runId)).toMatchObject({ status: "ok", reply: "next" });
  await waitFor(async () => (await asked("stop"))[0]!.hungUp);
});

test("what a model had said when it was stopped stays in the transcript", async () => {
  await script("partial", [{ text: "Half of it and then more", chunkSize: 5, gapMs: 200 }, { text: "on" }]);
  const { runId, sessionKey } = await say("x", "partial", session("partial"));
  const events = await call("GET", `/v1/runs/${runId}/events`);
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let said = ""; !said.includes("Half"); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The run ended before the model said anything.");
    said += value;
  }
  await reader.cancel();
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  const { messages } = await historyOf(sessionKey);
  expect(messages.at(-1)).toMatchObject({ role: "assistant", stop: "aborted" });
  expect(JSON.stringify(messages.at(-1))).toContain("Half");
  await finished((await say("y", "partial", session("partial"))).runId);
  expect(JSON.stringify((await asked("partial"))[1]!.body.messages)).toContain("Half");
});

test("a queued run that is stopped never runs", async () => {
  await script("queued", [{ text: "first", delayMs: 200 }]);
  const first = await say("x", "queued", session("queued"));
  const second = await say("y", "queued", session("queued"));
  expect(await (await call("POST", `/v1/runs/${second.runId}/abort`)).json()).toMatchObject({ status: "aborted" });
  await finished(first.runId);
  expect(await asked("queued")).toHaveLength(1);
  expect((await eventsOf(second.runId)).at(-1)).toMatchObject({ type: "lifecycle", phase: "error" });
});

test("a run that takes too long ends as timeout", async () => {
  await script("late", [{ hang: true }]);
  const { runId } = await say("x", "late", { ...session("late"), timeoutSeconds: 1 });
  expect(await finished(runId)).toMatchObject({ status: "timeout", error: { code: "timeout" } });
});

test("a model that fails ends the run with an error that says so, and the session goes on", async () => {
  await script("fails", [{ status: 401, body: { error: { message: "bad key" } } }, { text: "fine" }]);
  const first = await say("x", "fails", session("fails"));
  expect(await finished(first.runId)).toMatchObject({ status: "error", error: { code: "model_error" } });
  const second = await say("y", "fails", session("fails"));
  expect(await finished(second.runId)).toMatchObject({ status: "ok", reply: "fine" });
});

test("a model that is cut off in the middle keeps what it said and runs none of its calls", async () => {
  await script("cut", [{ text: "Half a sent", calls: [{ name: "ls", args: {} }], cutAfterBytes: 600 }]);
  const { runId, sessionKey } = await say("x", "cut", session("cut"));
  expect(await finished(runId)).toMatchObject({ status: "error" });
  const { messages } = await historyOf(sessionKey);
  expect(messages.filter((message) => message.role === "tool")).toEqual([]);
});

test("a run is listed with its session once it has ended", async () => {
  await script("listed", [{ text: "done" }]);
  const { runId, sessionKey } = await say("x", "listed", session("listed"));
  await finished(runId);
  const rows = async () => (await (await call("GET", "/v1/sessions?limit=200")).json<{ sessions: any[] }>()).sessions;
  await waitFor(async () => (await rows()).some((row) => row.key === sessionKey));
  expect((await rows()).find((row) => row.key === sessionKey)).toMatchObject({ lastRunId: runId, lastStatus: "ok" });
  const runs = await (await call("GET", `/v1/sessions/${sessionKey}/runs`)).json<{ runs: any[] }>();
  expect(runs.runs).toMatchObject([{ id: runId, status: "ok", model: "fake/listed" }]);
});

test("the prompt holds the workspace's files, and what is above the boundary stands still from turn to turn", async () => {
  await script("prompt", [{ text: "a" }, { text: "b" }]);
  await finished((await say("x", "prompt", session("prompt"))).runId);
  await finished((await say("y", "prompt", session("prompt"))).runId);
  const [first, second] = (await asked("prompt")).map((request) => JSON.stringify(request.body.messages[0]));
  expect(first).toContain("You are a personal assistant running inside OpenClaw.");
  expect(first).toContain("## SOUL.md");
  expect(second).toBe(first);
});

test("a message brings files and context for its run along, and a file that is none is refused by its place", async () => {
  await script("attached", [{ text: "Seen." }, { text: "Later." }]);
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
  const attachments = [
    { name: "note.txt", mediaType: "text/plain", data: btoa("Four eggs.") },
    { name: "dot.png", mediaType: "image/png", data: pixel },
  ];
  const more = { ...session("attached"), attachments, extraContext: "The kitchen is blue." };
  const { runId } = await say("Look", "attached", more);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Seen." });
  const [request] = await asked("attached");
  const sent = JSON.stringify(request?.body.messages);
  expect(sent).toMatch(/\[File: inbox\/\S+-note\.txt \(text\/plain\), 10 bytes\]/);
  expect(sent).toContain("data:image/png;base64");
  expect(sent).toContain("The kitchen is blue.");
  await finished((await say("And now?", "attached", session("attached"))).runId);
  expect(JSON.stringify((await asked("attached"))[1]?.body)).not.toContain("The kitchen is blue.");
  const refused = await call("POST", "/v1/agent", { message: "x", attachments: [{ data: "no base64!" }] });
  expect(refused.status).toBe(400);
  expect((await refused.json<any>()).error.message).toBe("attachments[0]: this is not base64");
});

test("a run in which the agent chose to be silent has no reply", async () => {
  await script("silent-run", [{ text: "NO_REPLY" }]);
  const run = await finished((await say("x", "silent-run", session("silent-run"))).runId);
  expect(run).toMatchObject({ status: "ok", silent: true });
  expect(run).not.toHaveProperty("reply");
});

test("an agent has main sessions by other names, as OpenClaw does", async () => {
  await script("named-main", [{ text: "Here." }]);
  const sessionKey = "agent:main:work";
  expect((await call("GET", `/v1/sessions/${sessionKey}/history`)).status).toBe(200);
  expect(await finished((await say("x", "named-main", { sessionKey })).runId)).toMatchObject({ reply: "Here." });
  for (const key of ["agent:main:a/b", "agent:main:", "agent:main:hook", "agent:main:main:x"]) {
    expect([key, (await call("POST", "/v1/agent", { message: "x", sessionKey: key })).status]).toEqual([key, 400]);
  }
});
