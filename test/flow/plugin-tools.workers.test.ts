import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { auditOf, sha256, turn } from "./plugin-lab.ts";
import { dumpTool, plug, session } from "./session-lab.ts";

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

test("a result that a plugin has changed keeps where its words come from", async () => {
  await script("labels", [{ calls: [{ name: "dump" }] }, { text: "Done." }]);
  const dump = dumpTool(() => "Words of a page.");
  const run: typeof dump.run = async (...call) => ({ ...(await dump.run(...call)), labels: ["host:example.org"] });
  await turn(
    "labels",
    { tool_result_persist: { run: ({ text }) => ({ text: text.toUpperCase() }) } },
    { tools: [{ ...dump, run }] },
  );
  const { messages } = await historyOf(session("labels").sessionKey);
  expect(messages[2]).toMatchObject({ text: "WORDS OF A PAGE.", labels: ["host:example.org"] });
});

test("a person is asked about the arguments that a plugin has made, and the call runs with just those", async () => {
  const name = "approve-changed";
  await script(name, [{ calls: [{ name: "pay", args: { amount: 100 } }] }, { text: "Paid." }]);
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    summary: "Pay",
    description: "Pays.",
    parameters: z.strictObject({ amount: z.number() }),
    replay: "unsafe",
    sequential: true,
    approval: ({ amount }) => `Pay ${amount}?`,
    async run({ amount }) {
      paid.push(amount);
      return { text: `Paid ${amount}.` };
    },
  });
  let limit = 10;
  await plug(name, [
    definePlugin({
      name: "purse",
      summary: "Pays little",
      tools: [pay],
      hooks: { before_tool_call: { run: () => ({ args: { amount: limit } }) } },
    }),
  ]);
  const { runId } = await say("pay", name, session(name));
  const waiting = async () => {
    const run = await (await call("GET", `/v1/runs/${runId}`)).json<{
      approvals?: { id: string; question: string }[];
    }>();
    return run.approvals ?? [];
  };
  await waitFor(async () => (await waiting()).length === 1);
  const [approval] = await waiting();
  expect(approval?.question).toBe("Pay 10?");
  // Whatever the plugin would say now, a person has said yes to something else.
  limit = 1_000_000;
  await call("POST", `/v1/approvals/${approval!.id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Paid." });
  expect(paid).toEqual([10]);
});
