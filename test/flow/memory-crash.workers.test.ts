import { env, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { exchange, rememberTranscripts, talkKey } from "../services/memory/transcripts-lab.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { kill, session } from "./session-lab.ts";

beforeAll(() => rememberTranscripts());
afterEach(() => vi.restoreAllMocks());

/** What a search of the API finds, as `path: snippet`. */
async function found(query: string): Promise<string[]> {
  const response = await call("POST", "/v1/agents/main/memory/search", { query });
  const { results } = await response.json<{ results: { path: string; snippet: string }[] }>();
  return results.map(({ path, snippet }) => `${path}: ${snippet}`);
}

async function index(): Promise<void> {
  await waitFor(async () => (await call("POST", "/v1/agents/main/memory/index", {})).status === 200);
}

describe("an object that dies", () => {
  test("between writing a note and searching for it finds the note when it goes on", async () => {
    const name = "mem-killed";
    const { sessionKey } = session(name);
    await script(name, [
      { calls: [{ name: "write", args: { path: "memory/killed.md", content: "The spare wheel is in the attic.\n" } }] },
      { hang: true },
      { calls: [{ name: "memory_search", args: { query: "spare wheel" } }] },
      { text: "In the attic." },
    ]);
    const { runId } = await say("Where is the wheel?", name, { sessionKey });
    await waitFor(async () => (await asked(name)).length === 2);
    await kill(name);
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "In the attic." });
    const { messages } = await historyOf(sessionKey);
    expect(messages.findLast(({ role }: any) => role === "tool")).toMatchObject({
      text: expect.stringContaining("The spare wheel is in the attic."),
    });
  });

  test("while it searches repeats the search", async () => {
    const name = "mem-searching";
    const { sessionKey } = session(name);
    await script(name, [
      { calls: [{ name: "write", args: { path: "memory/searching.md", content: "The ladder is at Piet's.\n" } }] },
      { calls: [{ name: "memory_search", args: { query: "ladder" } }], delayMs: 500 },
      { text: "At Piet's." },
    ]);
    const { runId } = await say("Where is the ladder?", name, { sessionKey });
    // The note is written; whatever asks the index before that is not the search.
    await waitFor(async () => (await asked(name)).length === 2);
    const batch = env.MEMORY.batch.bind(env.MEMORY);
    let searches = 0;
    vi.spyOn(env.MEMORY, "batch").mockImplementation((statements) => {
      return ++searches === 1 ? new Promise(() => undefined) : batch(statements);
    });
    await waitFor(async () => searches > 0);
    await kill(name);
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "At Piet's." });
    const { messages } = await historyOf(sessionKey);
    const results = messages.filter(({ role, tool }: any) => role === "tool" && tool === "memory_search");
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ text: expect.stringContaining("The ladder is at Piet's.") });
  });
});

test("a note is written while the index does not answer, and found after the next comparison of files", async () => {
  const name = "mem-down";
  const { sessionKey } = session(name);
  const down = () => Promise.reject(new Error("D1 is down"));
  const prepared = vi.spyOn(env.MEMORY, "prepare").mockImplementation(() => {
    throw new Error("D1 is down");
  });
  vi.spyOn(env.MEMORY, "batch").mockImplementation(down);
  vi.spyOn(env.MEMORY, "withSession").mockImplementation(() => env.MEMORY as unknown as D1DatabaseSession);
  await script(name, [
    { calls: [{ name: "write", args: { path: "memory/down.md", content: "The tenor is called Ignatius.\n" } }] },
    { calls: [{ name: "memory_search", args: { query: "tenor" } }] },
    { text: "I cannot say." },
  ]);
  const { runId } = await say("Who sings?", name, { sessionKey });
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "I cannot say." });
  expect(prepared.mock.calls.length).toBeGreaterThan(0);
  const { messages } = await historyOf(sessionKey);
  const texts = messages.flatMap(({ role, text }: any) => (role === "tool" ? [text] : []));
  expect(texts[0]).toContain("Wrote memory/down.md");
  expect(texts[1]).toMatch(/grep and read/);
  vi.restoreAllMocks();
  await index();
  expect((await found("tenor"))[0]).toContain("Ignatius");
});

describe("deleting a session of which memory knows", () => {
  test("that is interrupted continues by itself, and its transcript is no longer found", async () => {
    const key = talkKey("vanishing");
    await exchange(key, "The antidote is elderflower.", "I will remember.");
    await waitFor(async () => {
      await index();
      return (await found("antidote elderflower")).length === 1;
    });
    const path = `/v1/sessions/${encodeURIComponent(key)}`;
    const batch = vi.spyOn(env.MEMORY, "batch").mockRejectedValue(new Error("D1 is down"));
    expect((await call("DELETE", path)).status).toBe(503);
    expect(batch.mock.calls.length).toBeGreaterThan(0);
    vi.restoreAllMocks();
    await runDurableObjectAlarm(env.SESSIONS.getByName(await objectNameOf(key)));
    await waitFor(async () => (await found("antidote elderflower")).length === 0);
    await waitFor(async () => {
      const { results } = await env.MEMORY.prepare("select text from chunks").all<{ text: string }>();
      return !results.some(({ text }) => text.includes("elderflower"));
    });
    expect((await call("DELETE", path)).status).toBe(404);
  });
});
