import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { UNKNOWN_EFFECT } from "../../src/agent/run-tools.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { evict, kill, NONE, session, sql, stubOf } from "./session-lab.ts";

/** A session with one turn behind it. */
async function begun(name: string): Promise<void> {
  await script(name, [{ text: "First answer." }]);
  await finished((await say("First question", name, session(name))).runId);
}

/** Puts a message behind the others, as it is. */
async function putMessage(name: string, body: unknown): Promise<void> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  await sql(name, "insert into messages (seq, run_id, body) select reserved_seq, 'run_x', ? from session", text);
  await sql(name, "update session set reserved_seq = reserved_seq + 1");
}

/** Has another turn and gives what the model was sent, without the system prompt. */
async function nextRequest(name: string): Promise<any[]> {
  // The next incarnation numbers its messages after those that were put there.
  await evict(name);
  await script(name, [{ text: "Next answer." }]);
  const { runId } = await say("Next question", name, session(name));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Next answer." });
  return (await asked(name)).at(-1)!.body.messages.slice(1);
}

const assistant = (callIds: string[]) => ({
  role: "assistant",
  id: "msg_a",
  at: 1,
  model: "fake/x",
  stop: "tool-calls",
  usage: NONE,
  parts: callIds.map((callId) => ({ type: "tool-call", callId, tool: "ls", args: {} })),
});
const result = (callId: string, text: string) => {
  return { role: "tool", id: `msg_${callId}`, at: 1, callId, tool: "ls", text, isError: false };
};

describe("a damaged transcript", () => {
  test.each([
    ["no JSON", "{broken"],
    ["another shape", '{"role":"oracle"}'],
    ["null", "null"],
    ["a number", "42"],
    ["an empty text", ""],
    ["a message without its text", '{"role":"user","id":"msg_1","at":1}'],
    ["a reply whose parts are none", '{"role":"assistant","id":"msg_1","at":1,"parts":[null],"usage":{}}'],
  ])("a row with %s is passed over by everybody, and the log says so", async (what, body) => {
    const name = `row-${what.replaceAll(" ", "-")}`;
    const log = vi.spyOn(console, "error");
    await begun(name);
    await putMessage(name, body);
    const said = await nextRequest(name);
    expect(said.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
    expect(log.mock.calls.flat().join()).toContain('"event":"transcript.unreadable"');
    const { messages } = await historyOf(session(name).sessionKey);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    await evict(name);
    const exported = await call("GET", `/v1/sessions/${session(name).sessionKey}/export`);
    expect(
      new TextDecoder()
        .decode(await exported.arrayBuffer())
        .trim()
        .split("\n"),
    ).toHaveLength(4);
  });

  test("events that cannot be read are passed over, also where there is nothing else for a while", async () => {
    await begun("events");
    await sql("events", "update events set body = '{broken'");
    await evict("events");
    const { runId } = await say("Next", "events", session("events"));
    await finished(runId);
    const [{ firstRun }] = (await sql<{ firstRun: string }>(
      "events",
      "select id as firstRun from runs order by rowid limit 1",
    )) as any;
    expect((await eventsOf(firstRun)).map(({ type }) => type)).toEqual(["lifecycle", "assistant"]);
    expect((await eventsOf(runId)).at(-1)).toMatchObject({ type: "lifecycle", phase: "end" });
  });

  test("calls in its middle that have no result get one, and results without a call go", async () => {
    await begun("calls");
    await putMessage("calls", assistant(["call_1", "call_2"]));
    await putMessage("calls", result("call_2", "There."));
    await putMessage("calls", result("call_2", "Twice."));
    await putMessage("calls", result("call_9", "Nobody asked."));
    const said = await nextRequest("calls");
    expect(said.map((message) => message.role)).toEqual(["user", "assistant", "assistant", "tool", "tool", "user"]);
    const results = said.filter(({ role }) => role === "tool");
    expect(results.map(({ tool_call_id: id, content }) => [id, content])).toEqual([
      ["call_2", "There."],
      ["call_1", UNKNOWN_EFFECT],
    ]);
  });

  test("calls that somebody left open are not run by the turn that comes after", async () => {
    await begun("open-calls");
    const write = { type: "tool-call", callId: "call_w", tool: "write", args: { path: "left.md", content: "x" } };
    await putMessage("open-calls", { ...assistant([]), parts: [write] });
    const said = await nextRequest("open-calls");
    expect(said.at(-2)).toMatchObject({ role: "tool", content: UNKNOWN_EFFECT });
    expect((await call("GET", "/v1/agents/main/workspace/left.md")).status).toBe(404);
  });
});

describe("a message that no model takes", () => {
  test("is refused once; later turns leave it out and go on", async () => {
    await begun("poison");
    await script("poison", [{ status: 400, body: { error: { message: "invalid content in messages" } } }]);
    const { runId } = await say("Poison!", "poison", session("poison"));
    expect(await finished(runId)).toMatchObject({ status: "error", error: { code: "model_error" } });
    const said = JSON.stringify(await nextRequest("poison"));
    expect(said).not.toContain("Poison!");
    expect(said).toContain("left out, because the model refused");
    expect(said).toContain("First question");
    const again = JSON.stringify(await nextRequest("poison"));
    expect(again).not.toContain("Poison!");
    expect(again).toContain("Next answer.");
    expect(JSON.stringify(await historyOf(session("poison").sessionKey))).toContain("Poison!");
  });

  test("that is a tool's result is left out together with its call", async () => {
    await script("poison-tool", [
      { text: "Let me look.", calls: [{ name: "ls", args: {}, id: "call_bad" }] },
      { status: 400, body: { error: { message: "invalid tool result" } } },
    ]);
    await finished((await say("Look", "poison-tool", session("poison-tool"))).runId);
    const said = await nextRequest("poison-tool");
    expect(said.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
    expect(said[1]).toMatchObject({ content: "Let me look." });
    expect(JSON.stringify(said)).not.toContain("call_bad");
  });

  test("that is too long for the model and for a summary is shown shorter from turn to turn", async () => {
    await begun("overflow");
    const long = `Long ${"x".repeat(190_000)}`;
    await script("overflow", [{ status: 413 }]);
    const { runId } = await say(long, "overflow", session("overflow"));
    expect(await finished(runId)).toMatchObject({
      status: "error",
      error: { code: "model_error", message: expect.stringMatching(/\/new [\s\S]*\/compact/) },
    });
    for (const message of ["Shorter", "Shorter yet"]) {
      const { runId } = await say(message, "overflow", session("overflow"));
      expect(await finished(runId)).toMatchObject({ status: "error" });
    }
    await script("overflow", [{ text: "Fits." }]);
    expect(await finished((await say("Short", "overflow", session("overflow"))).runId)).toMatchObject({
      reply: "Fits.",
    });
    expect(JSON.stringify((await asked("overflow")).at(-1)!.body).length).toBeLessThan(100_000);
    const { messages } = await historyOf(session("overflow").sessionKey);
    expect(messages.map((message: any) => message.text)).toContain(long);
  });
});

describe("a damaged run", () => {
  /** Puts a run into the queue as an earlier incarnation might have left it. */
  async function putRun(name: string, columns: Record<string, string>): Promise<string> {
    const runId = `run_${"1".repeat(26)}${(await stubOf(name)).name}`;
    const input = JSON.stringify({ text: "x", timeoutSeconds: 60 });
    const row = {
      id: runId,
      state: '{"status":"queued","behind":false}',
      input,
      target: null,
      mergeKey: "t",
      ...columns,
    };
    await sql(
      name,
      "insert into runs (id, open, state, input, target, merge_key, accepted_at, first_seq) values (?, 1, ?, ?, ?, ?, 1, 1)",
      ...[row.id, row.state, row.input, row.target, row.mergeKey],
    );
    return runId;
  }

  test.each([
    ["state", { state: "{broken" }],
    ["state of no known status", { state: '{"status":"levitating"}' }],
    ["progress", { state: '{"status":"running"}' }],
    ["input", { input: "{broken" }],
    ["target", { target: "{}" }],
  ])("one whose %s cannot be read ends with an error, and the session goes on", async (what, columns) => {
    const name = `run-${what.replaceAll(" ", "-")}`;
    await begun(name);
    const runId = await putRun(name, columns);
    await evict(name);
    await runDurableObjectAlarm(await stubOf(name));
    expect(await finished(runId)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("cannot be read") },
    });
    expect((await eventsOf(runId)).at(-1)).toMatchObject({ type: "lifecycle", phase: "error" });
    expect(await nextRequest(name)).toHaveLength(3);
    const listed = async () =>
      (await (await call("GET", `/v1/sessions/${session(name).sessionKey}/runs`)).json<any>()).runs;
    await waitFor(async () => (await listed()).some((run: any) => run.id === runId && run.status === "error"));
  });

  test("that waits behind an active run does not keep that run from its tools", async () => {
    const name = "run-behind";
    await begun(name);
    const { mergeKey } = (await sql<{ mergeKey: string }>(name, "select merge_key as mergeKey from runs"))[0]!;
    const calls = [{ name: "ls", args: {} }];
    await script(name, [{ calls, delayMs: 300 }, { calls }, { text: "Listed." }]);
    const { runId } = await say("List", name, session(name));
    await waitFor(async () => (await asked(name)).length === 1);
    const damaged = await putRun(name, { input: "{broken", mergeKey });
    // The next incarnation goes on with the run and finds the other one behind it.
    await kill(name);
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Listed." });
    expect(await finished(damaged)).toMatchObject({ status: "error" });
  });

  test("that ended long ago is shown as failed", async () => {
    await begun("run-old");
    const runId = await putRun("run-old", { state: "{broken" });
    await sql("run-old", "update runs set open = 0 where id = ?", runId);
    expect(await (await call("GET", `/v1/runs/${runId}`)).json()).toMatchObject({ status: "error" });
    expect(await eventsOf(runId)).toEqual([]);
  });

  test("with unreadable settings has default settings, and its delivery without a target fails", async () => {
    await begun("run-rest");
    await sql("run-rest", "update session set settings = '{broken'");
    const runId = (await sql<{ id: string }>("run-rest", "select id from runs"))[0]!.id;
    await sql(
      "run-rest",
      "insert into outbox (delivery_id, run_id, target, text, status, attempts, due_at) values ('dlv_1', ?, '{broken', 'x', 'pending', 0, 1)",
      runId,
    );
    await evict("run-rest");
    await runDurableObjectAlarm(await stubOf("run-rest"));
    const deliveries = async () => (await (await call("GET", `/v1/runs/${runId}`)).json<any>()).deliveries;
    await waitFor(async () => (await deliveries())[0].status === "failed");
    expect(await nextRequest("run-rest")).toHaveLength(3);
  });
});
