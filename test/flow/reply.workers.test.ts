import { describe, expect, test } from "vitest";
import type { AnyTool } from "../../src/agent/tool.ts";
import { chatOf, hear, sentTo, settled } from "./chats.ts";
import { call, finished, script, waitFor } from "./client.ts";
import { countRows } from "./row-counter.ts";
import { arm, dumpTool, kill, rewrite, sql } from "./session-lab.ts";

/** A tool that fails as often as it is told to, and then answers. */
function failing(times: number): AnyTool {
  let left = times;
  return dumpTool(() => {
    if (left-- > 0) throw new Error("No paper in tray 2.\nSee the manual.");
    return "# 3 pages\nDumped.";
  });
}

/** Sets what `/verbose` and `/reasoning` set. */
async function set(name: string, settings: object): Promise<void> {
  await rewrite(name, "update session set settings = json_patch(settings, ?)", JSON.stringify(settings));
}

const DUMP = { calls: [{ name: "dump", args: { path: "notes.md", copies: "2" } }] };

describe("the last reply", () => {
  test("that is the silent token is kept in the transcript and sent to nobody", async () => {
    await script("silent", [{ text: "**NO_REPLY**" }]);
    const chat = chatOf(9001);
    const runId = await hear("silent", chat, "Psst");
    expect(await settled(runId, chat)).toEqual([]);
    expect(await finished(runId)).toMatchObject({ status: "ok", silent: true, deliveries: [] });
  });

  test("is sent without a token that was left standing and without thoughts in tags", async () => {
    await script("stray", [{ text: "<think>Shall I?</think>\n\nThere you are.\n\nNO_REPLY" }]);
    const chat = chatOf(9002);
    expect(await settled(await hear("stray", chat, "Psst"), chat)).toEqual(["There you are."]);
  });

  test("is followed by what went wrong with the model", async () => {
    await script("broken", [{ text: "Half an answer", cutAfterBytes: 500 }]);
    const chat = chatOf(9003);
    const [half, apology] = await settled(await hear("broken", chat, "Psst"), chat);
    expect(half).toMatch(/^Half/);
    expect(apology).toMatch(/^The model did not answer: /);
  });
});

describe("a failed tool", () => {
  test("is told where nothing else is left to say", async () => {
    await script("fallback", [DUMP, { text: "NO_REPLY" }]);
    await arm("fallback", [failing(1)]);
    const chat = chatOf(9004);
    const sent = await settled(await hear("fallback", chat, "Dump"), chat);
    expect(sent).toEqual(["⚠️ <code>dump</code> failed: No paper in tray 2."]);
  });

  test("is not told beside an answer, nor where the tool did better later, nor of an earlier run", async () => {
    const chat = chatOf(9005);
    await arm("answered", [failing(2)]);
    await script("answered", [DUMP, { text: "It did not work." }]);
    expect(await settled(await hear("answered", chat, "Dump"), chat)).toEqual(["It did not work."]);
    await script("answered", [DUMP, DUMP, { text: "NO_REPLY" }]);
    expect(await settled(await hear("answered", chat, "Again"), chat)).toHaveLength(1);
    await script("answered", [{ text: "NO_REPLY" }]);
    expect(await settled(await hear("answered", chat, "Thanks"), chat)).toHaveLength(1);
  });

  test("is not told of a run that was stopped", async () => {
    await script("stopped", [DUMP, { text: "x", hang: true }]);
    await arm("stopped", [failing(1)]);
    const chat = chatOf(9006);
    const runId = await hear("stopped", chat, "Dump");
    await waitFor(
      async () => (await sql("stopped", "select 1 as n from messages where body like '%tray 2%'")).length > 0,
    );
    await call("POST", `/v1/runs/${runId}/abort`);
    expect(await settled(runId, chat)).toEqual([]);
  });
});

describe("what a session wants to be told", () => {
  test("of its tools: nothing, a line for each call, or how their results begin", async () => {
    const chat = chatOf(9007);
    const two = { calls: [...DUMP.calls, { name: "dump", args: { copies: 3 } }] };
    await script("verbose", [{ text: "Hi." }, two, { text: "Off." }, two, { text: "On." }, DUMP, { text: "Full." }]);
    await arm("verbose", [failing(0)]);
    await settled(await hear("verbose", chat, "Hi"), chat);
    for (const verbose of ["off", "on", "full"]) {
      await set("verbose", { verbose });
      await settled(await hear("verbose", chat, verbose), chat);
    }
    expect(await sentTo(chat)).toEqual([
      "Hi.",
      "Off.",
      "🔧 dump <code>notes.md</code>\n🔧 dump",
      "On.",
      "🔧 dump <code>notes.md</code>",
      "🔧 dump:\n\n<pre># 3 pages\nDumped.</pre>",
      "Full.",
    ]);
  });

  test("of the model's reasoning: nothing, that of the answer, or that of every reply", async () => {
    const chat = chatOf(9008);
    const turn = [
      { ...DUMP, reasoning: "I need it all." },
      { text: "Done.", reasoning: "That was it.\nGood." },
    ];
    await script("reasoning", [{ text: "Hi." }, ...turn, ...turn, ...turn]);
    await arm("reasoning", [failing(0)]);
    await settled(await hear("reasoning", chat, "Hi"), chat);
    for (const reasoning of ["off", "on", "stream"]) {
      await set("reasoning", { reasoning });
      await settled(await hear("reasoning", chat, reasoning), chat);
    }
    const last = "Reasoning:\n\n<blockquote>That was it.\nGood.</blockquote>";
    expect(await sentTo(chat)).toEqual([
      "Hi.",
      "Done.",
      last,
      "Done.",
      "Reasoning:\n\n<blockquote>I need it all.</blockquote>",
      last,
      "Done.",
    ]);
  });

  test("is told once of a call that is run again after the object has died", async () => {
    const chat = chatOf(9009);
    const both = { calls: [{ name: "ls", args: { path: "memory" } }, ...DUMP.calls] };
    await script("told-once", [{ text: "Hi." }, both, { text: "Done." }]);
    await settled(await hear("told-once", chat, "Hi"), chat);
    await set("told-once", { verbose: "on" });
    await arm("told-once", [{ ...failing(0), run: () => new Promise<never>(() => undefined) }]);
    const runId = await hear("told-once", chat, "Look");
    const listed = 'from messages where body like \'%"tool":"ls"%\' and body like \'%"role":"tool"%\'';
    await waitFor(async () => (await sql("told-once", `select 1 as n ${listed}`)).length === 1);
    await sql("told-once", `delete ${listed}`);
    await kill("told-once");
    expect(await settled(runId, chat)).toEqual([
      "Hi.",
      "🔧 ls <code>memory</code>\n🔧 dump <code>notes.md</code>",
      "Done.",
    ]);
    expect(await sql("told-once", `select 1 as n ${listed}`)).toHaveLength(1);
  });
});

test("a plain turn writes nothing besides its run, its messages, its end and its delivery", async () => {
  await script("plain", [{ text: "One." }, { text: "Two." }]);
  const chat = chatOf(9010);
  await settled(await hear("plain", chat, "Hi"), chat);
  await waitFor(async () => (await sql("plain", "select 1 as n from runs where open = 1")).length === 0);
  const ran = await countRows("plain");
  ran();
  await settled(await hear("plain", chat, "Hi again"), chat);
  await waitFor(async () => (await sql("plain", "select 1 as n from runs where open = 1")).length === 0);
  const writes = ran()
    .map(({ query }) => /^(insert into|update|delete from) "(\w+)"/i.exec(query))
    .flatMap((match) => (match ? [`${match[1]!.toLowerCase()} ${match[2]}`] : []));
  expect(writes.toSorted()).toEqual([
    "insert into events",
    "insert into messages",
    "insert into messages",
    "insert into outbox",
    "insert into runs",
    "update outbox",
    "update outbox",
    "update runs",
    "update runs",
    "update runs",
  ]);
});
