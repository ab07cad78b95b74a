import { expect, test } from "vitest";
import { z } from "zod";
import type { EventBody } from "../../src/agent/events.ts";
import { runLoop } from "../../src/agent/loop.ts";
import type { Gate, GatedCall, LoopDeps, LoopHooks } from "../../src/agent/loop-deps.ts";
import { type AnyTool, defineTool, type Tool } from "../../src/agent/tool.ts";
import { type AssistantPart, type Message, NO_USAGE } from "../../src/models/message.ts";
import type { Model, ModelEvent } from "../../src/models/model.ts";
import { MemoryJournal } from "./memory-journal.ts";

const context = { contextTokens: 200_000, reserveTokens: 16_384, keepRecentTokens: 20_000 };

type Answer = (AssistantPart | string)[] | "silence";

/** A model that gives these answers in order. */
function modelOf(answers: Answer[]): Model & { asked: Message[][] } {
  const asked: Message[][] = [];
  return {
    ref: "test/model",
    contextWindow: 1000,
    maxOutputTokens: 100,
    asked,
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      asked.push([...request.messages]);
      const answer = answers[asked.length - 1] ?? [];
      if (answer === "silence") {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        yield { type: "end", reply: { parts: [], stop: "aborted", usage: NO_USAGE } };
        return;
      }
      const parts = answer.map((part) => (typeof part === "string" ? ({ type: "text", text: part } as const) : part));
      for (const part of parts) if (part.type === "text") yield { type: "text", delta: part.text };
      const stop = parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
      yield { type: "end", reply: { parts, stop, usage: NO_USAGE } };
    },
  };
}

const call = (callId: string, tool: string, args = {}): AssistantPart => ({ type: "tool-call", callId, tool, args });

const echo = (more: Partial<Tool> = {}): AnyTool =>
  ({
    ...defineTool({
      name: "echo",
      summary: "Echo",
      description: "Echoes.",
      parameters: z.strictObject({ text: z.string().default("") }),
      replay: "safe",
      sequential: false,
      run: async ({ text }) => ({ text: `echo ${text}` }),
    }),
    ...more,
  }) as AnyTool;

async function run(answers: Answer[], tools: AnyTool[], journal = new MemoryJournal(), more: Partial<LoopDeps> = {}) {
  const model = modelOf(answers);
  const events: EventBody[] = [];
  const loop: LoopDeps = {
    model,
    request: { system: { stable: "", dynamic: "" }, thinking: "off", loadFile: async () => undefined },
    tools,
    journal,
    modelIdleMs: 0,
    gate: askOwnQuestion,
    context,
    repetition: { enabled: false, warnAfter: 3, stopAfter: 5 },
    keep: async (output) => output,
    emit: (event) => events.push(event),
    newMessageId: () => "msg_x",
    now: () => 0,
    ...more,
  };
  return { end: await runLoop(loop, new AbortController().signal), model, journal, events };
}

test("the loop asks the model until it calls no tool, and every call has its result", async () => {
  const { end, model, journal } = await run([[call("a", "echo", { text: "1" })], ["Done."]], [echo()]);
  expect(end).toMatchObject({ kind: "reply", message: { parts: [{ text: "Done." }] } });
  expect(journal.results()).toEqual([["a", "echo 1", false]]);
  expect(model.asked[1]!.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
});

test("neighbouring calls run concurrently, a sequential tool alone and in order", async () => {
  const order: string[] = [];
  const slow = (name: string, sequential: boolean) =>
    echo({
      name,
      sequential,
      run: async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 10));
        order.push(`${name} ends`);
        return { text: "" };
      },
    });
  const calls = [call("1", "a"), call("2", "b"), call("3", "s"), call("4", "c")];
  const tools = [slow("a", false), slow("b", false), slow("s", true), slow("c", false)];
  const { journal } = await run([calls, ["ok"]], tools);
  expect(order.slice(0, 2)).toEqual(["a begins", "b begins"]);
  expect(order.slice(4)).toEqual(["s begins", "s ends", "c begins", "c ends"]);
  expect(journal.launched).toEqual([["1", "2"], ["3"], ["4"]]);
});

test("a call that was launched before a crash is run again only if its tool is safe to replay", async () => {
  const journal = new MemoryJournal();
  journal.messages.push({
    ...{ role: "assistant", id: "msg_1", at: 0, stop: "tool-calls", usage: NO_USAGE, model: "test/model" },
    parts: [call("safe", "echo"), call("unsafe", "fire")] as never,
  } as Message);
  journal.before = new Set(["safe", "unsafe"]);
  await run([["ok"]], [echo(), echo({ name: "fire", replay: "unsafe" })], journal);
  const results = new Map(journal.results().map(([id, text]) => [id, text]));
  expect(results.get("safe")).toBe("echo ");
  expect(results.get("unsafe")).toContain("may or may not");
  expect(journal.launched).toEqual([["safe"]]);
});

test("a model call that a crash interrupted emits a restart before it is made again", async () => {
  const journal = new MemoryJournal();
  journal.interruptedAsks = 2;
  const { events } = await run([["Again."]], [], journal);
  expect(events[0]).toEqual({ type: "assistant", phase: "restart", attempt: 3 });
});

test("a new message skips calls that were not launched, and the model sees it next", async () => {
  const journal = new MemoryJournal();
  const tools = [
    echo({
      name: "first",
      sequential: true,
      run: async () => {
        journal.news.push("Stop that");
        return { text: "1" };
      },
    }),
    echo({ name: "second", sequential: true }),
  ];
  const { model } = await run([[call("1", "first"), call("2", "second")], ["ok"]], tools, journal);
  expect(journal.results()).toEqual([
    ["1", "1", false],
    ["2", "skipped: a new message arrived", true],
  ]);
  expect(model.asked[1]!.at(-1)).toMatchObject({ role: "user", text: "Stop that" });
});

const THEIRS = [{ name: "theirs", description: "", parameters: { type: "object" } }];

test("calls of the client's tools end the loop once the agent's own are done, also after a crash", async () => {
  const answers = [["Wait.", call("1", "theirs"), call("2", "echo", { text: "x" })]];
  const { end, journal, model } = await run(answers, [echo()], new MemoryJournal(), { clientTools: THEIRS });
  expect(end).toEqual({ kind: "called" });
  expect(journal.results()).toEqual([["2", "echo x", false]]);
  const again = await run([], [echo()], journal, { clientTools: THEIRS });
  expect(again.end).toEqual({ kind: "called" });
  expect([model.asked.length, again.model.asked.length]).toEqual([1, 0]);
});

test("a call of a client's tool is skipped where a new message has arrived", async () => {
  const journal = new MemoryJournal();
  const first = echo({
    name: "first",
    run: async () => {
      journal.news.push("Stop that");
      return { text: "1" };
    },
  });
  const answers = [[call("1", "first"), call("2", "theirs")], ["ok"]];
  const { end } = await run(answers, [first], journal, { clientTools: THEIRS });
  expect(end).toMatchObject({ kind: "reply" });
  expect(journal.results()).toEqual([
    ["1", "1", false],
    ["2", "skipped: a new message arrived", true],
  ]);
});

test("a tool of the agent's is not the client's, whatever its name", async () => {
  const clientTools = [{ ...THEIRS[0]!, name: "echo" }];
  const { end, journal } = await run([[call("1", "echo", { text: "x" })], ["ok"]], [echo()], undefined, {
    clientTools,
  });
  expect(end).toMatchObject({ kind: "reply" });
  expect(journal.results()).toEqual([["1", "echo x", false]]);
});

test("no call of a reply is launched before all of its approvals are decided", async () => {
  const guarded = echo({ name: "guarded", approval: () => "Really?" });
  const journal = new MemoryJournal();
  const calls = [call("free", "echo"), call("held", "guarded")];
  expect((await run([calls], [echo(), guarded], journal)).end).toEqual({ kind: "paused" });
  expect(journal.paused).toEqual(["Really?"]);
  expect(journal.launched).toEqual([]);
  journal.verdicts.set("held", "deny");
  await run([["ok"]], [echo(), guarded], journal);
  expect(journal.results()).toContainEqual(["held", expect.stringContaining("denied"), true]);
  expect(journal.results()).toContainEqual(["free", "echo ", false]);
});

test("a permanently allowed tool needs no approval", async () => {
  const guarded = echo({ name: "guarded", approval: () => "Really?" });
  const { end } = await run([[call("1", "guarded")], ["ok"]], [guarded], undefined, {
    gate: async () => ({ kind: "go", approved: true }),
  });
  expect(end.kind).toBe("reply");
});

test("a model that is silent for too long times out", async () => {
  const { end } = await run(["silence"], [], undefined, { modelIdleMs: 20 });
  expect(end).toMatchObject({ kind: "reply", message: { stop: "error", error: { kind: "timeout" } } });
});

test("an abort ends the loop at once, even if a tool ignores the signal", async () => {
  const stop = new AbortController();
  const journal = new MemoryJournal();
  const deaf = echo({ name: "deaf", run: () => new Promise(() => setTimeout(() => stop.abort(), 5)) });
  const model = modelOf([[call("1", "deaf")]]);
  const end = await runLoop(
    {
      model,
      request: { system: { stable: "", dynamic: "" }, thinking: "off", loadFile: async () => undefined },
      tools: [deaf],
      journal,
      modelIdleMs: 0,
      gate: askOwnQuestion,
      context,
      repetition: { enabled: false, warnAfter: 3, stopAfter: 5 },
      keep: async (output) => output,
      emit: () => undefined,
      newMessageId: () => "msg_x",
      now: () => 0,
    },
    stop.signal,
  );
  expect(end).toEqual({ kind: "aborted" });
  expect(journal.results()).toEqual([]);
});

/** A gate that asks what a tool itself asks. */
async function askOwnQuestion({ tool, args }: GatedCall): Promise<Gate> {
  const question = tool.approval?.(args);
  return question === undefined ? { kind: "go", approved: false } : { kind: "ask", question };
}

/** Hooks that do nothing, except for the given ones. */
function hooksWith(more: Partial<LoopHooks>): LoopHooks {
  return {
    beforeCall: async ({ args }) => ({ args }),
    returned: async (_, output) => output,
    afterCall: () => undefined,
    beforeCompaction: async () => undefined,
    afterCompaction: () => undefined,
    ...more,
  };
}

test("hooks change the arguments and the result of a call", async () => {
  const after: string[] = [];
  const hooks = hooksWith({
    beforeCall: async ({ args }) => ({ args: { text: `${args.text}!` } }),
    returned: async (_, output) => ({ ...output, text: output.text.toUpperCase(), isError: true }),
    afterCall: ({ args }, { text }) => void after.push(`${args.text} -> ${text}`),
  });
  const { journal } = await run([[call("a", "echo", { text: "hi" })], ["ok"]], [echo()], undefined, { hooks });
  expect(journal.results()).toEqual([["a", "ECHO HI!", true]]);
  expect(after).toEqual(["hi! -> ECHO HI!"]);
});

test("a call that a hook blocks is not launched, others are, and its result says why", async () => {
  const hooks = hooksWith({
    beforeCall: async ({ callId, args }) => (callId === "no" ? { blocked: "not now" } : { args }),
  });
  const { journal } = await run([[call("no", "echo"), call("yes", "echo")], ["ok"]], [echo()], undefined, { hooks });
  expect(journal.results()).toEqual([
    ["no", "blocked: not now", true],
    ["yes", "echo ", false],
  ]);
  expect(journal.launched).toEqual([["yes"]]);
});

test("hooks run once for a call, before its approval, which shows the changed arguments", async () => {
  const seen: unknown[] = [];
  const guarded = echo({
    name: "guarded",
    approval: ({ text }: { text: string }) => (text === "safe" ? undefined : text),
  });
  let asked = 0;
  const hooks = hooksWith({
    beforeCall: async ({ args }) => {
      asked++;
      return { args: { text: args.text === "fine" ? "safe" : `${args.text}, changed` } };
    },
  });
  const journal = new MemoryJournal();
  journal.pausing = (questions) =>
    void seen.push(...questions.map(({ call: { args }, question }) => [args.text, question]));
  const calls = [call("held", "guarded", { text: "risky" }), call("free", "guarded", { text: "fine" })];
  expect((await run([calls], [guarded], journal, { hooks })).end).toEqual({ kind: "paused" });
  expect(seen).toEqual([["risky, changed", "risky, changed"]]);
  expect(asked).toBe(2);
});

test("an approved call runs with the approved arguments and without another hook", async () => {
  const guarded = echo({ name: "guarded", approval: () => "Really?" });
  const journal = new MemoryJournal();
  journal.messages.push({
    ...{ role: "assistant", id: "msg_1", at: 0, stop: "tool-calls", usage: NO_USAGE, model: "test/model" },
    parts: [call("held", "guarded", { text: "said by the model" })] as never,
  } as Message);
  journal.verdicts.set("held", "allow");
  journal.allowed.set("held", { text: "seen by a person" });
  const hooks = hooksWith({ beforeCall: async () => ({ args: { text: "changed afterwards" } }) });
  await run([["ok"]], [guarded], journal, { hooks });
  expect(journal.results()).toEqual([["held", "echo seen by a person", false]]);
});
