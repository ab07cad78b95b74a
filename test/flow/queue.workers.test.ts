import { expect, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";

const session = (name: string) => ({ sessionKey: `agent:main:hook:${name}` });

async function tell(name: string, command: string) {
  return finished((await say(command, name, session(name))).runId);
}

async function untilAsked(scenario: string, times: number) {
  await waitFor(async () => (await asked(scenario)).length >= times);
}

function said(request: { body: any }): string[] {
  return request.body.messages.filter((message: any) => message.role === "user").map((message: any) => message.content);
}

test("a message that comes while tools are called joins the run before the model is asked again", async () => {
  await script("steer", [{ calls: [{ name: "ls", args: {} }], delayMs: 1000 }, { text: "Both answered." }]);
  const first = await say("Do A", "steer", session("steer"));
  await untilAsked("steer", 1);
  const second = await say("And B", "steer", session("steer"));
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: "Both answered." });
  expect(await finished(second.runId)).toMatchObject({ status: "joined", intoRunId: first.runId });
  const requests = await asked("steer");
  expect(requests).toHaveLength(2);
  expect(said(requests[1]!)).toEqual(["Do A", "And B"]);
  const roles = (await historyOf(session("steer").sessionKey)).messages.map((message) => message.role);
  expect(roles).toEqual(["user", "assistant", "tool", "user", "assistant"]);
});

test("tools that were not launched when a message came are skipped, and every call has its result", async () => {
  await script("skip", [
    { calls: [{ name: "write", args: { path: "skip.md", content: "no" } }], delayMs: 1000 },
    { text: "Stopped that." },
  ]);
  const first = await say("Write", "skip", session("skip"));
  await untilAsked("skip", 1);
  await say("Wait, do not", "skip", session("skip"));
  await finished(first.runId);
  expect((await call("GET", "/v1/agents/main/workspace/skip.md")).status).toBe(404);
  const { messages } = await historyOf(session("skip").sessionKey);
  expect(messages.find((message) => message.role === "tool")).toMatchObject({
    text: "skipped: a new message arrived",
    isError: true,
  });
});

test("a message that comes during the last model call becomes a turn of its own", async () => {
  await script("late-queued", [{ text: "First.", delayMs: 1000 }, { text: "Second." }]);
  const first = await say("1", "late-queued", session("late-queued"));
  await untilAsked("late-queued", 1);
  const second = await say("2", "late-queued", session("late-queued"));
  expect(await finished(first.runId)).toMatchObject({ reply: "First." });
  expect(await finished(second.runId)).toMatchObject({ status: "ok", reply: "Second." });
});

test("waiting on a run that joined another waits for that one's end, and its stream ends with where it went", async () => {
  await script("join", [
    { calls: [{ name: "ls", args: {} }], delayMs: 1000 },
    { text: "Done.", delayMs: 1000 },
  ]);
  const first = await say("1", "join", session("join"));
  await untilAsked("join", 1);
  const second = await say("2", "join", session("join"));
  const waited = await (await call("GET", `/v1/agent/wait?runId=${second.runId}`)).json();
  expect(waited).toMatchObject({ status: "ok" });
  expect(await finished(first.runId)).toMatchObject({ status: "ok" });
  const events = await eventsOf(second.runId);
  expect(events.map((event) => "phase" in event && `${event.type} ${event.phase}`)).toEqual([
    "queue waiting",
    "queue joined",
  ]);
});

test("a message of a sender with other rights, or of another conversation, never joins a run", async () => {
  await script("apart", [{ calls: [{ name: "ls", args: {} }], delayMs: 1000 }, { text: "one" }, { text: "two" }]);
  const first = await say("1", "apart", session("apart"));
  await untilAsked("apart", 1);
  const second = await say("2", "apart", { ...session("apart"), thinking: "high" });
  expect(await finished(first.runId)).toMatchObject({ reply: "one" });
  expect(await finished(second.runId)).toMatchObject({ status: "ok", reply: "two" });
});

test("followup: every message has its own turn", async () => {
  await tell("followup", "/queue followup");
  await script("followup", [{ calls: [{ name: "ls", args: {} }], delayMs: 1000 }, { text: "one" }, { text: "two" }]);
  const first = await say("1", "followup", session("followup"));
  await untilAsked("followup", 1);
  const second = await say("2", "followup", session("followup"));
  expect(await finished(first.runId)).toMatchObject({ reply: "one" });
  expect(await finished(second.runId)).toMatchObject({ reply: "two" });
});

test("collect: what came meanwhile is taken together once it is quiet, and an idle session is not delayed", async () => {
  await tell("collect", "/queue collect debounceMs=120");
  await script("collect", [{ text: "one", delayMs: 1000 }, { text: "all" }]);
  const first = await say("1", "collect", session("collect"));
  await untilAsked("collect", 1);
  const rest = [await say("2", "collect", session("collect")), await say("3", "collect", session("collect"))];
  const ended = await Promise.all(rest.map((run) => finished(run.runId)));
  expect(await finished(first.runId)).toMatchObject({ reply: "one" });
  expect(ended).toMatchObject([
    { status: "ok", reply: "all" },
    { status: "joined", intoRunId: rest[0]!.runId },
  ]);
  expect(said((await asked("collect"))[1]!)).toEqual(["1", "2", "3"]);
});

test("interrupt: the newest message stops the run at work and takes the place of those that wait", async () => {
  await tell("interrupt", "/queue interrupt");
  await script("interrupt", [{ hang: true }, { text: "newest" }]);
  const first = await say("1", "interrupt", session("interrupt"));
  await untilAsked("interrupt", 1);
  const second = await say("2", "interrupt", session("interrupt"));
  expect(await finished(first.runId)).toMatchObject({ status: "aborted" });
  expect(await finished(second.runId)).toMatchObject({ status: "ok", reply: "newest" });
});

test("past the cap of the queue the oldest message is dropped, one line of it is kept, and its run says so", async () => {
  await tell("cap", "/queue followup cap=2 drop=summarize");
  await script("cap", [{ text: "one", delayMs: 1000 }, { text: "rest" }]);
  await say("1", "cap", session("cap"));
  await untilAsked("cap", 1);
  const gone = await say("the oldest of those that wait", "cap", session("cap"));
  const kept = [await say("3", "cap", session("cap")), await say("4", "cap", session("cap"))];
  expect(await finished(gone.runId)).toMatchObject({ status: "dropped", error: { code: "dropped" } });
  const waited = await (await call("GET", `/v1/agent/wait?runId=${gone.runId}`)).json();
  expect(waited).toMatchObject({ status: "error", error: { code: "dropped" } });
  for (const run of kept) expect(await finished(run.runId)).toMatchObject({ status: "ok" });
  expect(said((await asked("cap"))[1]!).at(-1)).toContain("the oldest of those that wait");
});

test("dropped messages under other instructions appear in no summary line and drop no message", async () => {
  await tell("strangers", "/queue followup cap=1 drop=summarize");
  await script("strangers", [{ text: "one", delayMs: 1000 }, { text: "rest" }]);
  await say("1", "strangers", session("strangers"));
  await untilAsked("strangers", 1);
  const other = { ...session("strangers"), thinking: "high" };
  await say("evil words", "strangers", other);
  const kept = await say("mine", "strangers", session("strangers"));
  await say("more evil words", "strangers", other);
  expect(await finished(kept.runId)).toMatchObject({ status: "ok" });
  const mine = (await historyOf(session("strangers").sessionKey)).messages.find(({ runId }) => runId === kept.runId);
  expect(mine).toMatchObject({ role: "user", text: "mine" });
});

test("with drop=new the new message is dropped", async () => {
  await tell("drop-new", "/queue followup cap=1 drop=new");
  await script("drop-new", [{ text: "one", delayMs: 1000 }, { text: "two" }]);
  await say("1", "drop-new", session("drop-new"));
  await untilAsked("drop-new", 1);
  const second = await say("2", "drop-new", session("drop-new"));
  const third = await say("3", "drop-new", session("drop-new"));
  expect(await finished(third.runId)).toMatchObject({ status: "dropped" });
  expect(await finished(second.runId)).toMatchObject({ status: "ok" });
});

test("commands act when they are accepted, are seen by people and not by models", async () => {
  await script("commands", [{ hang: true }, { text: "after" }]);
  const first = await say("1", "commands", session("commands"));
  await untilAsked("commands", 1);
  expect(await tell("commands", "/status")).toMatchObject({ reply: expect.stringContaining("running for") });
  expect(await tell("commands", "/stop")).toMatchObject({ status: "ok", reply: "Stopped." });
  expect(await finished(first.runId)).toMatchObject({ status: "aborted" });
  expect(await tell("commands", "/queue nonsense")).toMatchObject({ reply: expect.stringContaining("mode") });
  await finished((await say("2", "commands", session("commands"))).runId);
  expect(said((await asked("commands"))[1]!)).toEqual(["1", "2"]);
  const texts = (await historyOf(session("commands").sessionKey)).messages.map((message) => message.text);
  expect(texts).toContain("/status");
});

test("an unknown command is text", async () => {
  await script("unknown-command", [{ text: "What is /frobnicate?" }]);
  expect(await tell("unknown-command", "/frobnicate now")).toMatchObject({ reply: "What is /frobnicate?" });
});

test("a whole session can be stopped at once", async () => {
  await tell("stop-all", "/queue followup");
  await script("stop-all", [{ hang: true }]);
  const runs = [await say("1", "stop-all", session("stop-all")), await say("2", "stop-all", session("stop-all"))];
  await untilAsked("stop-all", 1);
  const answer = await call("POST", `/v1/sessions/${session("stop-all").sessionKey}/abort`);
  expect(await answer.json()).toEqual({ runIds: runs.map((run) => run.runId) });
  for (const run of runs) expect(await finished(run.runId)).toMatchObject({ status: "aborted" });
  expect(await asked("stop-all")).toHaveLength(1);
});

test("of eighty messages at once every one reaches the model whole, and none is dropped", async () => {
  const name = "eighty";
  await script(name, [{ text: "First.", delayMs: 1000 }, { text: "Rest." }]);
  const chat = chatOf(15_000);
  const text = (n: number) => `Message ${n}: ${"x".repeat(300)} end ${n}.`;
  const runs = await Promise.all(Array.from({ length: 80 }, (_, n) => hear(name, chat, text(n))));
  await waitFor(async () => (await settled(runs[79] ?? "", chat)).length > 0);
  const requests = JSON.stringify(await asked(name));
  for (let n = 0; n < 80; n++) expect(requests).toContain(text(n));
  for (const runId of runs) expect(((await finished(runId)) as any).status).toMatch(/^(ok|joined)$/);
});

test("over the cap the API refuses a message before it is stored, and a channel's messages wait and run together", async () => {
  const name = "full";
  await tell(name, "/queue followup cap=2");
  await script(name, [{ text: "one", delayMs: 1000 }, { text: "two" }, { text: "three" }, { text: "four" }]);
  await say("1", name, session(name));
  await untilAsked(name, 1);
  await say("2", name, session(name));
  await say("3", name, session(name));
  const refused = await call("POST", "/v1/agent", { message: "4", model: `fake/${name}`, ...session(name) });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect((await refused.json<any>()).error.hint).toContain("messages.queue.cap");
  const chat = chatOf(15_001);
  const heard = [];
  for (const text of ["a", "b", "c", "d"]) heard.push(await hear(name, chat, text));
  await settled(heard[3] ?? "", chat);
  const states = await Promise.all(heard.map(async (runId) => ((await finished(runId)) as any).status));
  expect(states).toEqual(["ok", "joined", "joined", "joined"]);
  const [last] = (await asked(name)).slice(-1);
  expect(said(last!).join("\n")).not.toContain('"4"');
});
