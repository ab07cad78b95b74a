import { beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type AnyTool, defineTool } from "../../src/agent/tool.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { putOutside } from "./outside.ts";
import { arm, configure, kill, session } from "./session-lab.ts";

const ROOT = "agents/main/workspace/skills/";
/** What the tools were called with, in order. */
let calls: unknown[] = [];

interface Ways {
  parameters?: z.ZodType;
  approval?: () => string;
  run?: () => Promise<string>;
}

function tool(name: string, { parameters = z.looseObject({}), approval, run }: Ways = {}): AnyTool {
  return defineTool<unknown>({
    name,
    summary: name,
    description: name,
    parameters,
    replay: "unsafe",
    sequential: true,
    ...(approval && { approval }),
    async run(args) {
      calls.push(args);
      return { text: (await run?.()) ?? `${name} has run.` };
    },
  });
}

/** A skill whose command goes to a tool. */
async function skill(name: string, toolName: string): Promise<void> {
  const front = `name: ${name}\ndescription: Goes.\ncommand-dispatch: tool\ncommand-tool: ${toolName}\ncommand-arg-mode: raw`;
  await putOutside(`${ROOT}${name}/SKILL.md`, `---\n${front}\n---\nNever shown to a model.\n`);
}

beforeAll(async () => {
  for (const [name, toolName] of [
    ["launch-it", "launch"],
    ["发射", "launch"],
    ["strict", "strict"],
    ["reader", "read"],
    ["nowhere", "no_such_tool"],
  ] as const) {
    await skill(name, toolName);
  }
});

beforeEach(() => {
  calls = [];
});

async function tell(name: string, message: string): Promise<{ status: string; reply: string; runId: string }> {
  const { runId } = await say(message, name, session(name));
  const run: any = await finished(runId);
  return run;
}

function shown(request: { body: any } | undefined): any[] {
  return request?.body.messages.slice(1) ?? [];
}

test("a dispatched command calls its tool with the typed text, and the output is the reply without a model", async () => {
  const name = "dispatch-plain";
  await arm(name, [tool("launch")]);
  await script(name, [{ text: "It flew." }]);
  const { runId, ...run } = await tell(name, "/launch_it  to the moon, --now ");
  expect(run).toMatchObject({ status: "ok", reply: "launch has run.", model: "skill/dispatch", usage: { input: 0 } });
  expect(calls).toEqual([{ command: "to the moon, --now", commandName: "launch_it", skillName: "launch-it" }]);
  expect(await asked(name)).toHaveLength(0);
  const types = (await eventsOf(runId)).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(["tool", "assistant", "lifecycle"]));
  await tell(name, "How did it go?");
  const [request] = await asked(name);
  expect(shown(request).map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool", "assistant", "user"]);
  expect(shown(request)[1].content).toContain("goes to the tool `launch` directly");
  expect(JSON.stringify(shown(request))).not.toContain("Never shown");
});

test("a dispatched skill works by its Chinese name, with and without /skill", async () => {
  await arm("dispatch-chinese", [tool("launch")]);
  await tell("dispatch-chinese", "/发射 月球");
  await tell("dispatch-chinese", "/skill 发射 火星");
  expect(calls).toEqual([
    { command: "月球", commandName: "skill_2", skillName: "发射" },
    { command: "火星", commandName: "skill_2", skillName: "发射" },
  ]);
});

test("a tool that rejects unknown fields is called with the typed text only", async () => {
  await arm("dispatch-strict", [tool("strict", { parameters: z.strictObject({ command: z.string() }) })]);
  expect(await tell("dispatch-strict", "/strict ls -l")).toMatchObject({ reply: "strict has run." });
  expect(calls).toEqual([{ command: "ls -l" }]);
});

test("a dispatch to a missing tool, or one that takes no text, is answered without a call", async () => {
  const name = "dispatch-none";
  await script(name, [{ text: "Asked." }]);
  expect((await tell(name, "/nowhere now")).reply).toMatch(
    /goes to the tool `no_such_tool`, which is not there for you/,
  );
  expect((await tell(name, "/reader AGENTS.md")).reply).toMatch(/^The tool `read` takes no text of a command/);
  expect((await tell(name, "/reader")).reply).toMatch(/needs to be told what to do/);
  const denied = "dispatch-denied";
  await configure(denied, (config) => ({ ...config, tools: { ...config.tools, deny: ["launch"] } }));
  await arm(denied, [tool("launch")]);
  expect((await tell(denied, "/launch_it")).reply).toMatch(/`launch`, which is not there for you/);
  expect(calls).toEqual([]);
  expect(await asked(name)).toHaveLength(0);
});

test("the error of a dispatched tool is the reply, and reply tags in its output have no effect", async () => {
  const name = "dispatch-output";
  const outputs = ["MEDIA:AGENTS.md\n<think>secret</think> [[reply_to_current]]", ""];
  await arm(name, [tool("launch", { run: async () => outputs.shift() ?? Promise.reject(new Error("No fuel.")) })]);
  expect((await tell(name, "/launch_it")).reply).toBe("MEDIA:AGENTS.md\n<think>secret</think> [[reply_to_current]]");
  expect((await tell(name, "/launch_it")).reply).toBe("Done.");
  expect((await tell(name, "/launch_it")).reply).toBe("⚠️ `launch` failed: No fuel.");
});

test("a dispatched tool that needs approval runs once approved, without a model", async () => {
  const name = "dispatch-approval";
  await arm(name, [tool("launch", { approval: () => "Launch?" })]);
  const { runId } = await say("/launch_it now", name, session(name));
  const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await waitFor(async () => (await view()).status === "waiting_approval");
  expect(calls).toEqual([]);
  const [{ id }] = (await view()).approvals;
  await call("POST", `/v1/approvals/${id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "launch has run." });
  expect(calls).toHaveLength(1);
  expect(await asked(name)).toHaveLength(0);
});

test("after a crash a dispatched tool that may have taken effect is not run again", async () => {
  const name = "dispatch-crash";
  await arm(name, [tool("launch", { run: () => new Promise<string>(() => undefined) })]);
  const { runId } = await say("/launch_it now", name, session(name));
  await waitFor(async () => calls.length === 1);
  await kill(name);
  expect(await finished(runId)).toMatchObject({ reply: expect.stringMatching(/interrupted: it may or may not/) });
  expect(calls).toHaveLength(1);
});

test("a dispatched command counts as a run of the budget and uses no tokens", async () => {
  const name = "dispatch-capped";
  await configure(name, (config) => ({ ...config, budgets: { perAgent: { runsPerHour: 2, tokensPerHour: 1 } } }));
  await arm(name, [tool("launch")]);
  expect(await tell(name, "/launch_it 1")).toMatchObject({ status: "ok" });
  expect(await tell(name, "/launch_it 2")).toMatchObject({ status: "ok" });
  expect(await tell(name, "/launch_it 3")).toMatchObject({ status: "error", error: { code: "budget" } });
  expect(calls).toHaveLength(2);
});

test("messages during a dispatched command wait, and its commands join no other run", async () => {
  const name = "dispatch-busy";
  const gate = Promise.withResolvers<string>();
  await arm(name, [tool("launch", { run: () => gate.promise })]);
  await script(name, [
    { calls: [{ name: "ls", args: {} }], delayMs: 300 },
    { text: "A plain answer." },
    { text: "Never." },
  ]);
  const dispatched = await say("/launch_it 1", name, session(name));
  await waitFor(async () => calls.length === 1);
  const plain = await say("Hello", name, session(name));
  gate.resolve("Flown.");
  expect(await finished(dispatched.runId)).toMatchObject({ status: "ok", reply: "Flown." });
  await waitFor(async () => (await asked(name)).length === 1);
  const late = await say("/launch_it 2", name, session(name));
  expect(await finished(plain.runId)).toMatchObject({ status: "ok", reply: "A plain answer." });
  expect(await finished(late.runId)).toMatchObject({ status: "ok", reply: "Flown." });
  expect(calls).toMatchObject([{ command: "1" }, { command: "2" }]);
  expect(await asked(name)).toHaveLength(2);
  const { messages } = await historyOf(session(name).sessionKey);
  expect(messages.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual([
    "/launch_it 1",
    "Hello",
    "/launch_it 2",
  ]);
});
