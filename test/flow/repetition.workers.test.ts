import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { asked, finished, historyOf, say, script, waitFor } from "./client.ts";
import { arm, armWithDump, configure, dumpTool, session, stubOf } from "./session-lab.ts";

const dump = { calls: [{ name: "dump", args: {} }] };

const resultsIn = (messages: Record<string, never>[]): string[] =>
  messages.flatMap((message: any) => (message.role === "tool" ? [message.text] : []));

test("a model that makes the same call over and over is told so, and then its run ends", async () => {
  await armWithDump("circle", () => "the same");
  await script("circle", [dump]);
  const { runId } = await say("x", "circle", session("circle"));
  const run = await finished(runId);
  expect(run).toMatchObject({ status: "error", error: { code: "loop" } });
  expect((run as any).error.message).toContain("`dump` 5 times");
  expect(await asked("circle")).toHaveLength(5);
  const results = resultsIn((await historyOf(session("circle").sessionKey)).messages);
  expect(results.slice(0, 2)).toEqual(["the same", "the same"]);
  expect(results.slice(2).every((text) => text.startsWith("the same\n\n[System] "))).toBe(true);
  const seen = (await asked("circle"))[3]?.body.messages.at(-1);
  expect(JSON.stringify(seen)).toContain("[System] You have made this call 3 times");
});

test("a model that stops repeating after the note goes on", async () => {
  await armWithDump("heeds", () => "the same");
  await script("heeds", [dump, dump, dump, { text: "I cannot get any further." }]);
  const { runId } = await say("x", "heeds", session("heeds"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "I cannot get any further." });
});

test("two alternating calls count as a repetition", async () => {
  await arm("in-turn", [dumpTool(() => "here"), { ...dumpTool(() => "there"), name: "other" }]);
  await script(
    "in-turn",
    Array.from({ length: 9 }, (_, n) => ({ calls: [{ name: n % 2 ? "other" : "dump", args: {} }] })),
  );
  const { runId } = await say("x", "in-turn", session("in-turn"));
  const run: any = await finished(runId);
  expect(run).toMatchObject({ status: "error", error: { code: "loop" } });
  expect(run.error.message).toContain("`other`, `dump` in turn");
  expect(await asked("in-turn")).toHaveLength(9);
});

test("a call whose result changes may be repeated as often as it takes", async () => {
  let n = 0;
  await armWithDump("polls", () => `${++n} of 8 done`);
  await script("polls", [...Array.from({ length: 8 }, () => dump), { text: "All done." }]);
  const { runId } = await say("x", "polls", session("polls"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "All done." });
  expect(resultsIn((await historyOf(session("polls").sessionKey)).messages).join()).not.toContain("[System]");
});

test("repetitions are counted over the death of an object", async () => {
  await armWithDump("circle-crash", () => "the same");
  await script("circle-crash", [dump, dump, dump, { hang: true }, dump]);
  const { runId } = await say("x", "circle-crash", session("circle-crash"));
  await waitFor(async () => (await asked("circle-crash")).length === 4);
  const stub = await stubOf("circle-crash");
  await expect(runInDurableObject(stub, (_, state) => state.abort("killed by a test"))).rejects.toThrow("killed");
  await armWithDump("circle-crash", () => "the same");
  await runDurableObjectAlarm(await stubOf("circle-crash"));
  expect(await finished(runId)).toMatchObject({ status: "error", error: { code: "loop" } });
  expect(await asked("circle-crash")).toHaveLength(6);
});

test("the detection of repetitions can be switched off", async () => {
  await configure("unwatched", (config) => ({ ...config, tools: { loopDetection: { enabled: false } } }));
  await armWithDump("unwatched", () => "the same");
  await script("unwatched", [...Array.from({ length: 7 }, () => dump), { text: "Done." }]);
  const { runId } = await say("x", "unwatched", session("unwatched"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Done." });
});
