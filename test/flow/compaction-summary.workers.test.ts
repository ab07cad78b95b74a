import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { asked, finished, say, script } from "./client.ts";
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
  words,
} from "./context-lab.ts";
import { session } from "./session-lab.ts";

test("what is too long for one request is summarized in parts, each of which goes on from the summary before", async () => {
  await talked("small-10", pages(30, 1500));
  const summaries = Array.from({ length: 20 }, (_, n) => ({ text: `Summary ${n}.` }));
  await script("small-10", summaries);
  await keepShort("small-10");
  const { runId } = await say("And now?", "small-10", session("small-10"));
  expect(await finished(runId)).toMatchObject({ status: "ok" });

  const requests = await requestsOf("small-10");
  const parts = requests.slice(0, -1).map((request) => request[1]!);
  expect(parts.length).toBeGreaterThan(3);
  expect(parts[0]).not.toContain("<summary>");
  for (const [n, part] of parts.entries()) {
    if (n > 0) expect(part).toContain(`<summary>\n- Summary ${n - 1}.\n</summary>`);
    expect(countTokens(part)).toBeLessThan(16_000);
  }
  const last = requests.at(-1)!;
  expect(last[1]).toContain(`Summary ${parts.length - 1}.`);
  const told = (page: string) => [...parts, ...last.slice(2)].filter((text) => text.includes(page)).length;
  expect(Array.from({ length: 30 }, (_, n) => told(`Page ${n}: `))).toEqual(Array.from({ length: 30 }, () => 1));
  expect(await summariesOf("small-10")).toHaveLength(1);
});

test("the next summary continues the previous one and replaces both parts", async () => {
  await talked("small-11", pages(8, 1600));
  await keepShort("small-11");
  await script("small-11", [
    { text: "Of eight pages." },
    { text: words(2500) },
    { text: words(2500) },
    { text: "Of all." },
    { text: "Answer." },
  ]);
  for (const question of ["One?", "Two?", "Three?"]) {
    await finished((await say(question, "small-11", session("small-11"))).runId);
  }
  const requests = await requestsOf("small-11");
  expect(requests).toHaveLength(5);
  expect(requests[3]![1]).toContain("<summary>\n- Of eight pages.\n</summary>");
  expect(requests[3]![1]).not.toContain("Page 0");
  expect(requests[4]![1]).toContain("<summary>\n- Of all.\n</summary>");
  expect(requests[4]!.join()).not.toContain("Of eight pages.");
  expect(requests[4]!.at(-1)).toBe("Three?");
});

test("a summary that is longer than what it stands for is refused; results are shortened instead, and the run goes on", async () => {
  await lived("small-12", [asks("Dump"), ...dumps("call_0", `Result: ${words(9000)}`), says("Dumped.")]);
  await keepShort("small-12");
  await script("small-12", [{ text: words(11_000) }, { text: "Answer." }]);
  const { runId } = await say("And now?", "small-12", session("small-12"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });
  const events = await compactionsIn(runId);
  expect(events.map(({ phase }) => phase)).toEqual(["start", "error"]);
  expect(events.at(-1)).toMatchObject({ message: "The summary is no shorter than what it stands for." });
  expect(await summariesOf("small-12")).toEqual([]);
  const shown = (await requestsOf("small-12")).at(-1)!;
  expect(shown.slice(1).map((text) => text.slice(0, 7))).toEqual([
    "Hello",
    "Hello.",
    "Dump",
    "null",
    "Result:",
    "Dumped.",
    "And now",
  ]);
  expect(shown[5]).toContain("characters of this older result are left out here");
});

test("where no summary can be had and nothing can be shortened, a person is told what to do", async () => {
  await talked("small-13", pages(3, 3500));
  await keepShort("small-13");
  const failed = { status: 400, body: { error: { message: "max context length exceeded: prompt is too long" } } };
  await script("small-13", [{ text: "" }, failed, { text: words(12_000) }, failed]);
  const { runId } = await say("And now?", "small-13", session("small-13"));
  const run: any = await finished(runId);
  expect(run).toMatchObject({ status: "error", error: { code: "model_error" } });
  expect(run.error.message).toMatch(/\/new[\s\S]*\/compact/);
  expect((await compactionsIn(runId)).map(({ phase }) => phase)).toEqual(["start", "error", "start", "error"]);
  const { runId: next } = await say("/compact", "small-13", session("small-13"));
  await script("small-13", [{ text: "Three pages." }]);
  expect((await finished(next)).reply).toMatch(/^(?:Summarized|The conversation could not)/);
});

test("the configured compaction model writes summaries, and the answering model does when that one fails", async () => {
  await talked("small-14", pages(8, 1600));
  await keepShort("small-14", { model: "fake/scribe" });
  await script("scribe", [{ text: "By the scribe." }, { status: 401, body: { error: { message: "No." } } }]);
  await script("small-14", [{ text: words(2500) }, { text: words(2500) }, { text: "By myself." }, { text: "Answer." }]);
  for (const question of ["One?", "Two?"]) {
    await finished((await say(question, "small-14", session("small-14"))).runId);
  }
  const { runId } = await say("Three?", "small-14", session("small-14"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });
  expect((await summariesOf("small-14")).map(({ summary }) => summary)).toEqual(["- By the scribe.", "- By myself."]);
  expect(await asked("scribe")).toHaveLength(2);
});

test("the usage of a run includes its summaries", async () => {
  await talked("small-15", pages(8, 1600));
  await keepShort("small-15");
  await script("small-15", [
    { text: "Short.", usage: { input: 9000, output: 300 } },
    { text: "Answer.", usage: { input: 4000, output: 20 } },
  ]);
  const { runId } = await say("And now?", "small-15", session("small-15"));
  expect((await finished(runId)).usage).toMatchObject({ input: 13_000, output: 320 });
  await script("small-15", [{ text: "Shorter.", usage: { input: 2000, output: 100 } }]);
  const { runId: compacting } = await say("/compact", "small-15", session("small-15"));
  expect((await finished(compacting)).usage).toMatchObject({ input: 2000, output: 100 });
});

test.each(["I'm sorry, I can't help with that.", "NO_REPLY"])(
  "%s is no summary: the model is asked once more, then the history stays",
  async (text) => {
    const name = text === "NO_REPLY" ? "small-31" : "small-32";
    await talked(name, pages(8, 1500));
    const compact = async () => finished((await say("/compact", name, session(name))).runId);
    await script(name, [{ text, verbatim: true }, { text: "What was said." }]);
    await compact();
    expect(await summariesOf(name)).toMatchObject([{ summary: "- What was said." }]);
    const [first, second] = (await asked(name)).slice(-2).map(({ body }) => JSON.stringify(body));
    expect(first).not.toContain("was no summary");
    expect(second).toContain("was no summary");
    await script(name, [{ text, verbatim: true }]);
    await compact();
    expect(await summariesOf(name)).toHaveLength(1);
  },
);
