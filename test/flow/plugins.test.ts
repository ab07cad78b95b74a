import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { HookTable } from "../../src/hooks/handlers.ts";
import { type AnyPlugin, definePlugin } from "../../src/plugins/plugin.ts";
import { auditOf } from "./audit-lab.ts";
import { asked, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { pages, talked } from "./context-lab.ts";
import { dumpTool, plug, session } from "./session-lab.ts";

/** Plugs hooks into a session, lets it say something, and waits for the end. */
async function turn(name: string, hooks: HookTable<unknown>, more: Partial<AnyPlugin> = {}) {
  await plug(name, [definePlugin({ name: "tester", summary: "Tests", hooks, ...more })]);
  const { runId } = await say("hello", name, session(name));
  return finished(runId);
}

/** The system prompt of a request. */
function systemOf(request: { body: any } | undefined): string {
  return request?.body.messages[0].content;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

test("what a plugin puts above the changing part of the prompt is what the model sees, and on the audit trail", async () => {
  await script("prompt", [{ text: "ok" }]);
  const { runId } = await turn("prompt", {
    before_prompt_build: { run: () => ({ prependContext: "It is raining." }) },
  });
  const system = systemOf((await asked("prompt"))[0]);
  expect(system).toMatch(/It is raining\.\n\n/);
  expect(system.indexOf("It is raining.")).toBeGreaterThan(system.indexOf("# Project Context"));
  expect(system.indexOf("It is raining.")).toBeLessThan(system.indexOf("## Runtime"));
  expect(await auditOf("prompt")).toMatchObject([
    {
      kind: "prompt",
      by: "tester",
      runId,
      subject: "prependContext",
      bytesBefore: 0,
      bytesAfter: 14,
      hash: await sha256("It is raining."),
    },
  ]);
});

test("a plugin may replace the whole prompt, and the last one that adds to it still does", async () => {
  await script("replace", [{ text: "ok" }]);
  await turn("replace", {
    before_prompt_build: { run: () => ({ systemPrompt: "You are a parrot." }) },
    before_agent_start: { run: ({ system }) => ({ prependContext: `After: ${system.stable}` }) },
  });
  expect(systemOf((await asked("replace"))[0])).toBe("You are a parrot.\n\nAfter: You are a parrot.");
  expect((await auditOf("replace", 2)).map(({ subject }) => subject)).toEqual(["systemPrompt", "prependContext"]);
});

test("a plugin's section stands above the runtime line, and one that throws is absent", async () => {
  await script("section", [{ text: "ok" }]);
  await turn(
    "section",
    {},
    {
      sections: {
        stable: [{ name: "house", modes: ["full"], render: ({ mode }) => `## House\nMode ${mode}.` }],
        dynamic: [
          { name: "mood", modes: ["full"], render: () => "## Mood\nGood." },
          { name: "minimal", modes: ["minimal"], render: () => "## Never here" },
          {
            name: "broken",
            modes: ["full"],
            render() {
              throw new Error("broken");
            },
          },
        ],
      },
    },
  );
  const headings = systemOf((await asked("section"))[0])
    .split("\n")
    .filter((line) => line.startsWith("#"));
  expect(headings.slice(-2)).toEqual(["## Mood", "## Runtime"]);
  expect(headings.indexOf("## House")).toBeGreaterThan(headings.indexOf("# Project Context"));
  expect(headings).not.toContain("## Never here");
  const lines = (await auditOf("section", 2)).map(({ by, subject }) => [by, subject]);
  expect(lines).toEqual([
    ["tester", "section tester/house"],
    ["tester", "section tester/mood"],
  ]);
});

test("another model answers where a plugin says so", async () => {
  await script("model-other", [{ text: "It is me." }]);
  const run = await turn("model", { before_model_resolve: { run: () => ({ modelOverride: "model-other" }) } });
  expect(run).toMatchObject({ status: "ok", model: "fake/model-other", reply: "It is me." });
  expect(await auditOf("model")).toMatchObject([
    { kind: "model", by: "tester", subject: "fake/model-other", detail: "instead of fake/model" },
  ]);
});

test("a model of a provider that is not configured is not taken, and the trail says why", async () => {
  await script("nowhere", [{ text: "Still me." }]);
  const run = await turn("nowhere", {
    before_model_resolve: { run: () => ({ providerOverride: "nowhere", modelOverride: "x" }) },
  });
  expect(run).toMatchObject({ status: "ok", model: "fake/nowhere", reply: "Still me." });
  expect(await auditOf("nowhere")).toMatchObject([
    { kind: "model", subject: "nowhere/x", detail: expect.stringContaining("'nowhere' is not configured") },
  ]);
});

test("files of the prompt may be added, replaced and left out, within the limits", async () => {
  await script("files", [{ text: "ok" }]);
  await turn("files", {
    "agent:bootstrap": {
      run: ({ files }) => ({
        files: [
          ...files.filter(({ path }) => path !== "SOUL.md"),
          { path: "HOUSE.md", content: "Be quiet after ten." },
          { path: "LONG.md", content: "x".repeat(30_000) },
        ],
      }),
    },
  });
  const system = systemOf((await asked("files"))[0]);
  expect(system).toContain("## HOUSE.md\nBe quiet after ten.");
  expect(system).not.toContain("## SOUL.md");
  expect(system).toContain("x".repeat(20_000));
  expect(system).not.toContain("x".repeat(20_001));
  const lines = (await auditOf("files", 3)).map(({ subject, bytesAfter }) => [subject, bytesAfter]);
  expect(lines.sort()).toEqual([
    ["file HOUSE.md", 19],
    ["file LONG.md", 30_000],
    ["file SOUL.md", 0],
  ]);
});

test("a blocked call does not run, and the model is told why", async () => {
  await script("blocked", [{ calls: [{ name: "write", args: { path: "no.md", content: "x" } }] }, { text: "Fine." }]);
  await turn("blocked", {
    before_tool_call: { run: ({ tool }) => ({ block: tool === "write", reason: "not on Sundays" }) },
  });
  const { messages } = await historyOf(session("blocked").sessionKey);
  expect(messages[2]).toMatchObject({ role: "tool", text: "blocked: not on Sundays", isError: true });
  expect(await env.FILES.head("agents/main/workspace/no.md")).toBeNull();
  expect(await auditOf("blocked")).toMatchObject([
    { kind: "tool", subject: "write", detail: "blocked: not on Sundays" },
  ]);
});

test("a call runs with the arguments that a plugin has made of them, which are checked like any", async () => {
  await script("args", [
    { calls: [{ name: "write", args: { path: "a.md", content: "secret" } }] },
    { calls: [{ name: "write", args: { path: "bad.md", content: "x" } }] },
    { text: "Done." },
  ]);
  await turn("args", {
    before_tool_call: {
      run: ({ args }) => ({ args: args.path === "bad.md" ? { path: 1 } : { ...args, content: "[redacted]" } }),
    },
  });
  const { messages } = await historyOf(session("args").sessionKey);
  expect(await (await env.FILES.get("agents/main/workspace/a.md"))?.text()).toBe("[redacted]");
  expect(messages[4]).toMatchObject({ text: expect.stringMatching(/^Wrong arguments/), isError: true });
  const [line] = await auditOf("args", 2);
  const now = JSON.stringify({ path: "a.md", content: "[redacted]" });
  expect(line).toMatchObject({ kind: "tool", subject: "write", detail: "arguments", hash: await sha256(now) });
});

test("a result is stored, shown and told to the model as plugins leave it", async () => {
  await script("result", [{ calls: [{ name: "dump" }] }, { text: "Done." }]);
  const after: unknown[] = [];
  const run = await turn(
    "result",
    {
      tool_result_persist: { run: ({ text }) => ({ text: text.replaceAll("4711", "****") }) },
      after_tool_call: { run: ({ result }) => void after.push(result.text) },
    },
    { tools: [dumpTool(() => "The code is 4711.")] },
  );
  expect(after).toEqual(["The code is ****."]);
  const { messages } = await historyOf(session("result").sessionKey);
  expect(messages[2]).toMatchObject({ role: "tool", text: "The code is ****." });
  const told = (await asked("result"))[1]!.body.messages.at(-1);
  expect(told).toMatchObject({ role: "tool", content: "The code is ****." });
  const events = JSON.stringify(await eventsOf(String(run.runId)));
  expect(events).toContain("****");
  expect(events).not.toContain("4711");
  expect(await auditOf("result")).toMatchObject([
    { subject: "dump", detail: "result", bytesBefore: 17, bytesAfter: 17 },
  ]);
});

test("conversations are told where they begin and end, and messages where they are received", async () => {
  const name = "boundaries";
  await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }]);
  const told: unknown[] = [];
  const received: unknown[] = [];
  await turn(name, {
    session_start: { run: ({ sessionId, reason }) => void told.push(["start", sessionId, reason]) },
    session_end: { run: ({ sessionId, reason }) => void told.push(["end", sessionId, reason]) },
    "command:new": { run: ({ endedSessionId, source }) => void told.push(["new", endedSessionId, source]) },
    message_received: { run: ({ text, sender }) => void received.push([text, sender?.owner]) },
    agent_end: { run: ({ status, messages }) => void told.push([status, messages.map(({ role }) => role).join(" ")]) },
  });
  const again = await say("again", name, session(name));
  await finished(again.runId);
  const begun = await finished((await say("/new", name, session(name))).runId);
  await waitFor(async () => told.length === 7);
  const words = JSON.parse(
    JSON.stringify(told).replaceAll(again.sessionId, "one").replaceAll(String(begun.sessionId), "two"),
  );
  expect(words).toEqual([
    ["start", "one", "created"],
    ["ok", "user assistant"],
    ["ok", "user assistant user assistant"],
    ["end", "one", "new"],
    ["new", "one", "api"],
    ["start", "two", "new"],
    ["ok", "user assistant"],
  ]);
  expect(received).toEqual([
    ["hello", true],
    ["again", true],
    ["/new", true],
  ]);
});

test("a message that is handed over twice is received once", async () => {
  const name = "received";
  await script(name, [{ text: "ok" }]);
  const told: string[] = [];
  await plug(name, [
    definePlugin({ name: "t", summary: "t", hooks: { message_received: { run: ({ text }) => void told.push(text) } } }),
  ]);
  for (let i = 0; i < 3; i++) await say("once", name, { ...session(name), idempotencyKey: "same" });
  await finished((await say("last", name, session(name))).runId);
  expect(told).toEqual(["once", "last"]);
});

test("every command is on the audit trail, without what was typed after it", async () => {
  const name = "commands";
  await script(name, [{ text: "Hi." }]);
  await finished((await say("/queue collect", name, session(name))).runId);
  await finished((await say("/pair list", name, session(name))).runId);
  await finished((await say("/new my secret plan", name, session(name))).runId);
  const lines = (await auditOf(name, 3)).map(({ kind, by, subject, detail }) => [kind, by, subject, detail]);
  expect(lines).toEqual([
    ["command", "api", "/queue", "in api, 7 characters after it"],
    ["command", "api", "/pair", "in api, 4 characters after it"],
    ["command", "api", "/new", "in api, 14 characters after it"],
  ]);
});

test("a plugin that hears of /stop is told how much was stopped", async () => {
  const name = "stopped";
  await script(name, [{ hang: true }]);
  const told: number[] = [];
  await plug(name, [
    definePlugin({
      name: "t",
      summary: "t",
      hooks: { "command:stop": { run: ({ runs }) => void told.push(runs) } },
    }),
  ]);
  await say("work", name, session(name));
  await waitFor(async () => (await asked(name)).length === 1);
  await finished((await say("/stop", name, session(name))).runId);
  await waitFor(async () => told.length === 1);
  expect(told).toEqual([1]);
});

test("a compaction is told before it is begun and once it is stored", async () => {
  const name = "small-90";
  await talked(name, pages(8, 1600));
  await script(name, [{ text: "The user asked eight questions." }, { text: "Answer." }]);
  const told: unknown[] = [];
  await turn(name, {
    before_compaction: { run: ({ reason, tokensBefore }) => void told.push([reason, tokensBefore]) },
    after_compaction: {
      run: ({ reason, tokensBefore, tokensAfter }) =>
        void told.push([reason, tokensBefore, tokensAfter < tokensBefore]),
    },
  });
  expect(told).toEqual([
    ["threshold", expect.any(Number)],
    ["threshold", expect.any(Number), true],
  ]);
});
