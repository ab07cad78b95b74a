import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { estimateTokens } from "../../src/lib/tokens.ts";
import { definePlugin } from "../../src/plugins/plugin.ts";
import type { ContextReport } from "../../src/turn/preview/context-report.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { tinyWindow } from "./config.ts";
import {
  asks,
  compactionsIn,
  dumps,
  keepShort,
  lived,
  pages,
  requestsOf,
  says,
  summariesOf,
  talked,
  textIn,
  words,
} from "./context-lab.ts";
import { plug, session } from "./session-lab.ts";

test("a conversation that would no longer fit is summarized before the model is asked, and its history stays", async () => {
  await talked("small-0", pages(8, 1600));
  await script("small-0", [{ text: "The user asked eight questions." }, { text: "Answer." }]);
  const { runId, sessionKey } = await say("And now?", "small-0", session("small-0"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });

  const [summing, asking] = await requestsOf("small-0");
  expect(summing![1]).toContain("Question 0");
  expect(summing![1]).not.toContain("Question 7");
  expect(asking![1]).toContain("<summary>\n- The user asked eight questions.\n</summary>");
  expect(asking!.join()).not.toContain("Question 0");
  expect(asking!.slice(-3)).toEqual(["Question 7", expect.stringContaining("Page 7"), "And now?"]);

  const events = await compactionsIn(runId);
  expect(events.map(({ phase, reason }) => [phase, reason])).toEqual([
    ["start", "threshold"],
    ["end", "threshold"],
  ]);
  const end = events.at(-1)!;
  expect(end.phase === "end" && end.tokensAfter < end.tokensBefore).toBe(true);
  expect(await summariesOf("small-0")).toMatchObject([{ summary: "- The user asked eight questions." }]);
  const { messages } = await historyOf(sessionKey);
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(10);
});

test("/compact summarizes, reports the result, and passes its instructions on", async () => {
  await talked("on-demand", pages(6, 400));
  await script("on-demand", [{ text: "Six pages about words." }, { text: "Here." }]);
  const more = session("on-demand");
  const { runId } = await say("/compact the colour of the door", "on-demand", more);
  const { reply = "" }: { reply?: string } = await finished(runId);
  const sizes = /^Summarized: about ([\d,]+) tokens before, ([\d,]+) tokens now\./.exec(reply)?.slice(1) ?? [];
  const [before = 0, now = 0] = sizes.map((size) => Number(size.replace(",", "")));
  expect(before - now).toBeGreaterThan(1000);
  expect((await requestsOf("on-demand"))[0]![1]).toContain("above all: the colour of the door");
  expect((await compactionsIn(runId)).map(({ phase, reason }) => [phase, reason])).toEqual([
    ["start", "command"],
    ["end", "command"],
  ]);
  await finished((await say("Where are we?", "on-demand", more)).runId);
  const shown = (await requestsOf("on-demand")).at(-1)!;
  const report = await call("GET", `/v1/sessions/${more.sessionKey}/context`);
  const { totals } = await report.json<ContextReport>();
  expect(now).toBeGreaterThan(totals.prompt.tokens + totals.tools.tokens);
  expect(now).toBeLessThan(totals.prompt.tokens + totals.tools.tokens + 1500);
  expect(shown[1]).toContain("Six pages about words.");
  expect(shown.slice(1).join()).not.toContain("/compact");
  expect((await finished((await say("/status", "on-demand", more)).runId)).reply).toContain("compacted once");
});

test("/compact reports that there is nothing to summarize", async () => {
  await script("brief", [{ text: "Hi." }]);
  await finished((await say("Hello", "brief", session("brief"))).runId);
  const { runId } = await say("/compact", "brief", session("brief"));
  expect((await finished(runId)).reply).toMatch(/^There is nothing to summarize yet/);
  expect(await asked("brief")).toHaveLength(1);
});

test("a call and its result are never parted, and the newest messages stay as they are", async () => {
  const turns = Array.from({ length: 12 }, (_, n) => [
    asks(`Dump ${n}`),
    ...dumps(`call_${n}`, `Result ${n}: ${words(900)}`),
    says(`Dumped ${n}.`),
  ]);
  for (const keepRecentTokens of [800, 1500, 2500]) {
    const name = `small-${keepRecentTokens / 100}`;
    await lived(name, turns.flat());
    await keepShort(name, { keepRecentTokens });
    await script(name, [{ text: "Dumps." }, { text: "Answer." }]);
    expect(await finished((await say("And?", name, session(name))).runId)).toMatchObject({ reply: "Answer." });
    const { messages } = (await asked(name)).at(-1)!.body;
    const calls = messages.flatMap(({ tool_calls = [] }: any) => tool_calls.map(({ id }: any) => id));
    const results = messages.flatMap(({ tool_call_id }: any) => tool_call_id ?? []);
    expect(results).toEqual(calls);
    const kept = messages
      .slice(2)
      .reduce((sum: number, message: any) => sum + estimateTokens(textIn(message.content)), 0);
    expect(kept).toBeLessThanOrEqual(keepRecentTokens + 100);
    expect(textIn(messages.at(-1).content)).toBe("And?");
  }
});

test("an interrupted reply is kept with the note that the model got about it", async () => {
  const half = says(`Half: ${words(1900)}`, { stop: "aborted" });
  await lived("broke-off", [
    ...pages(6, 400).flatMap((page) => [asks("More"), says(page)]),
    ...[asks("All of it"), half, says(`Rest: ${words(1500)}`)],
  ]);
  await script("broke-off", [{ text: "Six pages." }, { text: "Here." }]);
  const { runId } = await say("/compact", "broke-off", session("broke-off"));
  expect((await finished(runId)).reply).toMatch(/^Summarized/);
  await finished((await say("Go on", "broke-off", session("broke-off"))).runId);
  const [, summary, ...shown] = (await requestsOf("broke-off")).at(-1)!;
  expect(summary).toContain("Six pages.");
  expect(shown.map((text) => text.slice(0, 20))).toEqual([
    "All of it",
    expect.stringMatching(/^Half/),
    expect.stringMatching(/^\[System\]/),
    expect.stringMatching(/^Rest/),
    "Go on",
  ]);
});

test("a model with a window of 8,000 tokens gets by: each request fits, and the conversation goes on", async () => {
  await keepShort("tiny-1", {}, { skipBootstrap: true });
  await script("tiny-1", [{ text: `Answer: ${words(900)}.` }]);
  for (let n = 0; n < 12; n++) {
    const { runId } = await say(`Question ${n}`, "tiny-1", session("tiny-1"));
    expect(await finished(runId)).toMatchObject({ status: "ok" });
  }
  const sizes = (await asked("tiny-1")).map(({ body }) => countTokens(JSON.stringify([body.messages, body.tools])));
  expect(sizes.length).toBeGreaterThan(13);
  expect(Math.max(...sizes)).toBeLessThan(tinyWindow);
  expect((await summariesOf("tiny-1")).length).toBeGreaterThan(1);
});

test("a conversation in Chinese is summarized as early as it has to be, and no request is too long", async () => {
  const page = (n: number) => `第${n}页：${"我们下周去里斯本旅行，住在老城区的小旅馆里。".repeat(70)}`;
  await talked(
    "small-2",
    Array.from({ length: 8 }, (_, n) => page(n)),
  );
  await keepShort("small-2");
  await script("small-2", [{ text: "用户下周去里斯本。" }, { text: "好的。" }]);
  const { runId } = await say("还有什么？", "small-2", session("small-2"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "好的。" });
  expect(await summariesOf("small-2")).toMatchObject([{ summary: "- 用户下周去里斯本。" }]);
  const sizes = (await asked("small-2")).map(({ body }) => countTokens(JSON.stringify([body.messages, body.tools])));
  expect(Math.max(...sizes)).toBeLessThan(16_000);
});

test("plugins run before and after a summary, also for /compact", async () => {
  await talked("heard", pages(6, 400));
  const heard: string[] = [];
  const hooks = {
    before_compaction: { run: (event: { reason: string }) => void heard.push(`before ${event.reason}`) },
    after_compaction: { run: (event: { reason: string }) => void heard.push(`after ${event.reason}`) },
  };
  await plug("heard", [definePlugin({ name: "tester", summary: "Tests", hooks })]);
  await script("heard", [{ text: "Six pages." }]);
  await finished((await say("/compact", "heard", session("heard"))).runId);
  await waitFor(async () => heard.length === 2);
  expect(heard).toEqual(["before command", "after command"]);
});
