import { env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { armWithDump, filesOf, session, sql } from "./session-lab.ts";

const LARGE = `BEGIN ${"🦀 and a line of text\n".repeat(20_000)} END`;

async function dumped(name: string, text: string, then: object[] = []) {
  await armWithDump(name, () => text);
  await script(name, [{ calls: [{ name: "dump", args: {} }] }, ...then, { text: "Seen." }]);
  const { runId, sessionKey } = await say("Dump it", name, session(name));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Seen." });
  const { messages } = await historyOf(sessionKey);
  return messages.find((message) => message.role === "tool") as any;
}

async function spillOf(name: string, id: string) {
  return call("GET", `/v1/sessions/${session(name).sessionKey}/spills/${id}`);
}

test("a large result is shown by its head and tail, and the whole of it can be fetched", async () => {
  const result = await dumped("spill", LARGE);
  expect(result.text.length).toBeLessThan(20_000);
  expect(result.text).toMatch(/^BEGIN 🦀.*END$/su);
  expect(result.text.isWellFormed()).toBe(true);
  expect(result.text).toContain(`.openclaw/results/${result.spill.id}.txt`);
  expect(result.spill.bytes).toBe(new TextEncoder().encode(LARGE).length);
  const whole = await spillOf("spill", result.spill.id);
  expect(whole.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  expect(await whole.text()).toBe(LARGE);
  const [row] = await sql<{ bytes: number }>("spill", "select max(octet_length(body)) as bytes from messages");
  expect(row!.bytes).toBeLessThan(100_000);
});

test("the model is shown the preview, and reads on where it says", async () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n + 1}`).join("\n");
  await armWithDump("read-on", () => lines);
  await script("read-on", [{ calls: [{ name: "dump", args: {} }] }, { text: "Cut." }]);
  await finished((await say("Dump", "read-on", session("read-on"))).runId);
  const said = (await asked("read-on")).at(-1)!.body.messages.at(-1).content as string;
  const path = /\.openclaw\/results\/spl_[0-9a-z]{26}\.txt/.exec(said)![0];
  expect(said).toContain("line 1\n");
  expect(said).not.toContain("line 15000\n");
  await script("read-on", [{ calls: [{ name: "read", args: { path, offset: 15_000, limit: 2 } }] }, { text: "Read." }]);
  await finished((await say("Read on", "read-on", session("read-on"))).runId);
  const read = (await asked("read-on")).at(-1)!.body.messages.at(-1).content as string;
  expect(read).toContain("line 15000\nline 15001\n");
});

test("a result of one endless line can be read on, too", async () => {
  const result = await dumped("one-line", `${"x".repeat(100_000)}needle${"y".repeat(100_000)}`);
  const path = `.openclaw/results/${result.spill.id}.txt`;
  await script("one-line", [{ calls: [{ name: "read", args: { path, offset: 51, limit: 1 } }] }, { text: "Found." }]);
  await finished((await say("Read on", "one-line", session("one-line"))).runId);
  expect((await asked("one-line")).at(-1)!.body.messages.at(-1).content).toContain("needle");
});

test("of a result beyond 10 MiB the first 10 MiB are kept, in whole characters", async () => {
  const result = await dumped("huge", "€".repeat(4_000_000));
  expect(result.spill.bytes).toBe(10 * 1024 * 1024 - 1);
  expect(result.text).toContain(`Only its first ${result.spill.bytes} bytes are there.`);
  const whole = await (await spillOf("huge", result.spill.id)).text();
  expect(whole).toBe("€".repeat(result.spill.bytes / 3));
});

test("a result that is not large is kept as it is, and leaves nothing outside", async () => {
  const text = "z".repeat(64 * 1024);
  const result = await dumped("fits", text);
  expect(result).toMatchObject({ text });
  expect(result).not.toHaveProperty("spill");
  expect(await filesOf("fits")).toEqual([]);
});

test("halves of characters, which models refuse, do not get into a result", async () => {
  const result = await dumped("half", "a\ud83e");
  expect(result.text).toBe("a\ufffd");
});

test("a result that cannot be kept is shown all the same, and says so", async () => {
  const putting = vi.spyOn(env.FILES, "put").mockRejectedValue(new Error("R2 is down (10001)"));
  const result = await dumped("down", LARGE);
  expect(putting).toHaveBeenCalled();
  expect(result.text).toContain("They could not be kept.");
  expect(result).not.toHaveProperty("spill");
  vi.restoreAllMocks();
});

test("a large result with an invalid id, or of another session, is not found", async () => {
  const { spill } = await dumped("mine", LARGE);
  await waitFor(async () => (await filesOf("mine")).length === 1);
  for (const id of [`spl_${"0".repeat(26)}`, "..", "%2e%2e%2fx"]) {
    const answer = await spillOf("mine", id);
    expect({ id, status: answer.status }).toEqual({ id, status: 404 });
  }
  const answer = await spillOf("theirs", spill.id);
  expect(await answer.json()).toMatchObject({ error: { code: "not_found", hint: expect.any(String) } });
});
