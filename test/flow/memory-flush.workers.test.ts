import { expect, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { keepShort, pages, requestsOf, summariesOf, talked } from "./context-lab.ts";
import { kill, session } from "./session-lab.ts";
import { openSocket } from "./socket-client.ts";

/** A reply that writes to the memory. */
function writes(path: string, content: string) {
  return { text: "Writing it down.", calls: [{ name: "write", args: { path, content } }] };
}

const SECRETS = ["Writing it down", "shortened: its older part", "Lisbon in May", "Nothing more to write"];

/** Everything that people and programs can read of a session. */
async function readable(name: string, runId: string): Promise<string> {
  const { sessionKey } = session(name);
  const paths = [
    `/v1/sessions/${sessionKey}/history`,
    `/v1/sessions/${sessionKey}/export`,
    `/v1/sessions/${sessionKey}/runs`,
    `/v1/runs/${runId}`,
    `/v1/runs/${runId}/events`,
    "/v1/sessions",
  ];
  const texts = paths.map(async (path) => (await call("GET", path)).text());
  return (await Promise.all(texts)).join("\n");
}

async function memory(path: string): Promise<string> {
  const response = await call("GET", `/v1/agents/main/workspace/${path}`);
  return response.ok ? response.text() : "";
}

test("a memory flush runs before a summary: the agent writes notes, and no reader sees it", async () => {
  await talked("medium-1", pages(11, 1950));
  await script("medium-1", [
    writes("memory/flush-1.md", "Lisbon in May"),
    { text: "NO_REPLY. Nothing more to write." },
    { text: "Eleven pages." },
    { text: "Answer." },
  ]);
  const chat = chatOf(9601);
  const runId = await hear("medium-1", chat, "And now?");
  expect(await settled(runId, chat)).toEqual(["Answer."]);
  expect(await memory("memory/flush-1.md")).toContain("Lisbon in May");

  const [flushing, written, summing, asking] = await requestsOf("medium-1");
  expect(flushing!.at(-2)).toBe("And now?");
  expect(flushing!.at(-1)).toMatch(/^\[System\][\s\S]*memory\/\d{4}-\d\d-\d\d\.md[\s\S]*NO_REPLY/);
  expect(written!.slice(0, flushing!.length)).toEqual(flushing);
  expect(summing!.join() + asking!.join()).not.toMatch(/Writing it down|Lisbon/);
  expect(asking!.at(-1)).toBe("And now?");
  expect(await summariesOf("medium-1")).toHaveLength(1);

  const seen = await readable("medium-1", runId);
  expect(SECRETS.filter((secret) => seen.includes(secret))).toEqual([]);
  const run = await finished(runId);
  expect(run).toMatchObject({ status: "ok", reply: "Answer.", usage: { input: 40, output: 20 } });
});

test("an export leaves the memory flush out as the history does, line for line", async () => {
  const { sessionKey } = session("medium-1");
  const lines = (await (await call("GET", `/v1/sessions/${sessionKey}/export`)).text()).trim().split("\n");
  const { messages } = await historyOf(sessionKey);
  expect(lines.map((line) => JSON.parse(line))).toEqual(messages);
  expect(messages.at(-1)).toMatchObject({ role: "assistant", parts: [{ text: "Answer." }] });
});

test("a reader who follows the run live sees no event of the memory flush", async () => {
  await talked("medium-2", pages(11, 1950));
  await script("medium-2", [
    { ...writes("memory/flush-2.md", "Lisbon in May"), delayMs: 200, gapMs: 2 },
    { text: "Nothing more to write", delayMs: 100 },
    { text: "Eleven pages.", delayMs: 100 },
    { text: "Answer." },
  ]);
  const client = await openSocket(session("medium-2").sessionKey);
  client.resume(0);
  const { runId } = await say("And now?", "medium-2", session("medium-2"));
  const events = await eventsOf(runId);
  await client.end(runId);
  const kinds = events.map((event) => `${event.type} ${"phase" in event ? event.phase : ""}`);
  expect(kinds.filter((kind) => kind !== "assistant delta")).toEqual([
    "lifecycle start",
    "compaction start",
    "compaction end",
    "assistant message",
    "lifecycle end",
  ]);
  for (const seen of [events, client.events]) {
    const heard = seen.map((event) => ("text" in event ? event.text : JSON.stringify(event))).join("");
    expect(heard).toContain("Answer.");
    expect(SECRETS.filter((secret) => heard.includes(secret))).toEqual([]);
  }
});

test("a memory flush runs once between two summaries, and only when the window is nearly full", async () => {
  await talked("medium-3", pages(9, 1950));
  await script("medium-3", [{ text: "NO_REPLY" }, { text: "One." }, { text: "Two." }]);
  for (const question of ["One?", "Two?"]) {
    expect(await finished((await say(question, "medium-3", session("medium-3"))).runId)).toMatchObject({
      status: "ok",
    });
  }
  const lasts = (await requestsOf("medium-3")).map((request) => request.at(-1)!.slice(0, 8));
  expect(lasts).toEqual(["[System]", "One?", "Two?"]);
});

test("a memory flush may only write notes, and its calls are bounded", async () => {
  await talked("medium-4", pages(9, 1950));
  const calls = [{ name: "sessions_list", args: {} }];
  await script("medium-4", [
    ...Array.from({ length: 8 }, (_, n) => ({ text: `Looking ${n}.`, calls })),
    { text: "Answer." },
  ]);
  const { runId } = await say("And now?", "medium-4", session("medium-4"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });
  const requests = await requestsOf("medium-4");
  expect(requests).toHaveLength(9);
  expect(requests[1]!.at(-1)).toContain("only for writing memory");
});

test("a memory flush whose object dies continues, keeps its notes, and the answer follows", async () => {
  await talked("medium-5", pages(11, 1950));
  await script("medium-5", [
    writes("memory/flush-5.md", "Lisbon in May"),
    { hang: true },
    { text: "NO_REPLY" },
    { text: "Eleven pages." },
    { text: "Answer." },
  ]);
  const chat = chatOf(9605);
  const runId = await hear("medium-5", chat, "And now?");
  await waitFor(async () => (await asked("medium-5")).length === 2);
  await kill("medium-5");
  expect(await settled(runId, chat)).toEqual(["Answer."]);
  const requests = await requestsOf("medium-5");
  expect(requests).toHaveLength(5);
  expect(requests[2]).toEqual(requests[1]);
  expect(await memory("memory/flush-5.md")).toContain("Lisbon in May");
  const seen = await readable("medium-5", runId);
  expect(SECRETS.filter((secret) => seen.includes(secret))).toEqual([]);
});

test("a message that arrives during a memory flush waits for its end and joins the answer", async () => {
  await talked("medium-6", pages(9, 1950));
  await script("medium-6", [
    { ...writes("memory/flush-6.md", "x"), delayMs: 250 },
    { text: "NO_REPLY", delayMs: 250 },
    { text: "Both answered." },
  ]);
  const first = await say("One?", "medium-6", session("medium-6"));
  await waitFor(async () => (await asked("medium-6")).length === 1);
  const second = await say("Two?", "medium-6", session("medium-6"));
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: "Both answered." });
  expect(await finished(second.runId)).toMatchObject({ status: "joined", intoRunId: first.runId });
  const requests = await requestsOf("medium-6");
  expect(requests).toHaveLength(3);
  expect(requests[1]!.join()).not.toContain("Two?");
  expect(await memory("memory/flush-6.md")).toBe("x");
  expect(requests[2]!.slice(-2)).toEqual(["One?", "Two?"]);
  const { messages } = await historyOf(session("medium-6").sessionKey);
  expect(messages.slice(-3).map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
});

test("there is no memory flush where it is switched off or the sender may not write", async () => {
  await talked("medium-7", pages(9, 1950));
  await keepShort("medium-7", { memoryFlush: { enabled: false } });
  await script("medium-7", [{ text: "Answer." }]);
  await finished((await say("And now?", "medium-7", session("medium-7"))).runId);
  expect(await asked("medium-7")).toHaveLength(1);

  await talked("medium-8", pages(9, 1950));
  await script("medium-8", [{ text: "Answer." }]);
  const chat = chatOf(9608);
  await settled(await hear("medium-8", chat, "And now?", { sender: { id: "9608", owner: false } }), chat);
  expect(await asked("medium-8")).toHaveLength(1);
});
