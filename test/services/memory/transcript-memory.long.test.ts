import { env } from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import { call, finished, queueDelivered, say, script, waitFor } from "../../flow/client.ts";
import { exchange, rememberTranscripts, sqlIn, talkKey } from "./transcripts-lab.ts";

/** What an agent's own index has of transcripts, without a search that would bring it up to date. */
async function indexed(folder: string): Promise<number> {
  const query = "select count(*) as n from files where state = 'live' and path like ?";
  return (await env.MEMORY.prepare(query).bind(`sessions/webchat/direct/${folder}/%`).first<number>("n"))!;
}

const laidOut = (sessionKey: string) => sqlIn(sessionKey, "select lines from memory_pages");

beforeAll(queueDelivered);

test("without transcripts as a source nothing is written, queued or indexed, however much is said", async () => {
  const key = talkKey("off");
  for (let n = 0; n < 3; n++) await exchange(key, `Question ${n}`, "Answer.");
  expect(await laidOut(key)).toEqual([]);
  expect(await env.MEMORY.prepare("select count(*) as n from changes").first("n")).toBe(0);
  expect(await indexed("off")).toBe(0);
});

test("transcripts that are named as a source but not switched on are not indexed", async () => {
  await rememberTranscripts({ experimental: { sessionMemory: false }, sync: { sessions: { deltaMessages: 1 } } });
  const key = talkKey("named");
  await exchange(key, "Question", "Answer.");
  expect(await laidOut(key)).toEqual([]);
});

test("as many new messages as are configured have a transcript indexed, and fewer do not", async () => {
  await rememberTranscripts({ sync: { onSessionStart: false, sessions: { deltaMessages: 4, deltaBytes: 10_000 } } });
  const key = talkKey("messages");
  await exchange(key, "One", "First.");
  await queueDelivered();
  expect(await laidOut(key)).toEqual([]);
  expect(await indexed("messages")).toBe(0);
  await exchange(key, "Two", "Second.");
  await waitFor(async () => (await indexed("messages")) === 1);
  expect(await laidOut(key)).toEqual([{ lines: 4 }]);
  await exchange(key, "Three", "Third.");
  await queueDelivered();
  expect(await laidOut(key)).toEqual([{ lines: 4 }]);
});

test("as many new bytes as are configured have a transcript indexed, and fewer do not", async () => {
  await exchange(talkKey("bytes"), `Listen: ${"long story ".repeat(1500)}`, "I see.");
  await waitFor(async () => (await indexed("bytes")) === 1);
});

test("a new conversation has the rest of the previous transcript indexed", async () => {
  const key = talkKey("rest");
  await exchange(key, "The bell tower has 212 steps.", "That is a lot.");
  await queueDelivered();
  expect(await indexed("rest")).toBe(0);
  await exchange(key, "/new Hello", "Hi.");
  await waitFor(async () => (await indexed("rest")) === 2);
});

test("an index message that was lost because the queue did not answer is sent after the next turn", async () => {
  const key = talkKey("untold");
  const run = vi.spyOn(env.MEMORY, "prepare").mockImplementation(() => {
    throw new Error("D1 is down");
  });
  await exchange(key, "One", "First.");
  await exchange(key, "Two", "Second.");
  await waitFor(async () => run.mock.calls.length > 0);
  vi.restoreAllMocks();
  expect(await sqlIn(key, "select untold from memory_pages")).toEqual([{ untold: 1 }]);
  await exchange(key, "Three", "Third.");
  await waitFor(async () => (await indexed("untold")) === 1);
  expect(await sqlIn(key, "select untold from memory_pages")).toEqual([{ untold: 0 }]);
});

test("what is said in a hook's session is never laid out", async () => {
  const sessionKey = "agent:main:hook:quiet";
  await script("quiet-hook", [{ text: "Heard." }]);
  for (let n = 0; n < 4; n++) await finished((await say("Ping", "quiet-hook", { sessionKey })).runId);
  expect(await laidOut(sessionKey)).toEqual([]);
});

test("an export has the transcript and nothing that memory derives from it", async () => {
  const lines = await (await call("GET", `/v1/sessions/${encodeURIComponent(talkKey("messages"))}/export`)).text();
  expect(lines).toContain("Second.");
  expect(lines).not.toMatch(/memory_pages|sessions\/webchat/);
});

test("deleting a session removes its transcripts from memory that was switched off before", async () => {
  const key = talkKey("messages");
  expect(await indexed("messages")).toBe(1);
  await rememberTranscripts({ enabled: false });
  expect((await call("DELETE", `/v1/sessions/${encodeURIComponent(key)}`)).status).toBe(204);
  const left = "select (select count(*) from meta) + (select count(*) from files) + (select count(*) from chunks) as n";
  await waitFor(async () => (await env.MEMORY.prepare(left).first("n")) === 0);
});
