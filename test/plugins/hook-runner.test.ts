import { expect, test } from "vitest";
import type { HookContext, HookPlace } from "../../src/plugins/hook-context.ts";
import type { AnyHookOwner, HookTable } from "../../src/plugins/hook-handlers.ts";
import { createHooks } from "../../src/plugins/hook-runner.ts";

const PLACE: HookPlace = {
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "ses_1",
  workspaceDir: "/workspace",
  now: () => 1,
  workspace: { list: unused, read: unused, write: unused },
  audit: unused,
};

function unused(): never {
  throw new Error("nobody should come here");
}

function plugin(name: string, hooks: HookTable<unknown>, settings: unknown = {}): AnyHookOwner {
  return { name, hooks, settings };
}

/** Hooks of some plugins, with what was logged of them. */
function hooksOf(...owners: AnyHookOwner[]) {
  const logged: object[] = [];
  const log = (_: string, event: string, fields: object = {}) => void logged.push({ event, ...fields });
  return { hooks: createHooks(owners, { log, timeoutMs: 30 }), logged };
}

const call = { callId: "call_1", tool: "write", args: { path: "a.md" } };
const prompt = { system: { stable: "S", dynamic: "D" }, model: "fake/x", messages: [] };
const model = { model: "fake/x", text: "hi" };

test("the highest priority runs first, and of equal ones the plugin that is listed first", async () => {
  const order: string[] = [];
  const at = (name: string, priority?: number) =>
    plugin(name, { agent_end: { ...(priority !== undefined && { priority }), run: () => void order.push(name) } });
  const { hooks } = hooksOf(at("a"), at("b", 5), at("c", -1), at("d", 5), at("e", 0));
  const end = { status: "ok", messages: [], model: "fake/x", durationMs: 1 } as const;
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  await hooks.run("agent_end", { ...end, usage }, () => PLACE);
  expect(order).toEqual(["b", "d", "a", "e", "c"]);
});

test("without a hook for an event nothing is asked for, not even where it happens", async () => {
  const { hooks } = hooksOf(plugin("a", { agent_end: { run: unused } }));
  const outcome = await hooks.run("before_model_resolve", model, unused);
  expect(outcome).toEqual({ event: model, merged: undefined, answers: [] });
  expect([hooks.has("before_model_resolve"), hooks.has("agent_end")]).toEqual([false, true]);
});

test("a model and a provider are those of the highest priority that names one", async () => {
  const { hooks } = hooksOf(
    plugin("low", { before_model_resolve: { run: () => ({ modelOverride: "low", providerOverride: "p-low" }) } }),
    plugin("high", { before_model_resolve: { priority: 1, run: () => ({ modelOverride: "high" }) } }),
  );
  const { merged, answers } = await hooks.run("before_model_resolve", model, () => PLACE);
  expect(merged).toEqual({ modelOverride: "high", providerOverride: "p-low" });
  expect(answers.map(({ by }) => by)).toEqual(["high", "low"]);
});

test("contexts are put together in the order of running, and of whole prompts the last one stands", async () => {
  const says = (systemPrompt: string | undefined, prependContext: string | undefined) => ({
    run: () => ({ ...(systemPrompt && { systemPrompt }), ...(prependContext && { prependContext }) }),
  });
  const { hooks } = hooksOf(
    plugin("last", { before_prompt_build: { ...says("L", "three"), priority: -1 } }),
    plugin("first", { before_prompt_build: { ...says("F", "one"), priority: 1 } }),
    plugin("between", { before_prompt_build: says(undefined, "two") }),
  );
  const { merged } = await hooks.run("before_prompt_build", prompt, () => PLACE);
  expect(merged).toEqual({ systemPrompt: "L", prependContext: "one\n\ntwo\n\nthree" });
});

test("blocking a call is the last word, not blocking it is none", async () => {
  const { hooks } = hooksOf(
    plugin("lets", { before_tool_call: { priority: 2, run: () => ({ block: false }) } }),
    plugin("blocks", { before_tool_call: { priority: 1, run: () => ({ block: true, reason: "no" }) } }),
    plugin("late", { before_tool_call: { run: unused } }),
  );
  const { merged, answers } = await hooks.run("before_tool_call", call, () => PLACE);
  expect(merged).toEqual({ block: true, reason: "no" });
  expect(answers).toHaveLength(2);
});

test("not blocking does not take back what came before", async () => {
  const { hooks } = hooksOf(
    plugin("changes", { before_tool_call: { priority: 1, run: () => ({ args: { path: "b.md" } }) } }),
    plugin("lets", { before_tool_call: { run: () => ({ block: false }) } }),
  );
  const { event, merged } = await hooks.run("before_tool_call", call, () => PLACE);
  expect(event.args).toEqual({ path: "b.md" });
  expect(merged?.block).not.toBe(true);
});

test("changed arguments are what the next hook sees", async () => {
  const add = (letter: string) => ({
    run: ({ args }: { args: object }) => ({ args: { path: `${(args as { path: string }).path}${letter}` } }),
  });
  const { hooks } = hooksOf(plugin("a", { before_tool_call: add("1") }), plugin("b", { before_tool_call: add("2") }));
  const { event } = await hooks.run("before_tool_call", call, () => PLACE);
  expect(event).toEqual({ ...call, args: { path: "a.md12" } });
});

test("cancelling a message is the last word, and its content is passed on until then", async () => {
  const target = { channel: "telegram", accountId: "default", kind: "direct", conversationId: "1" } as const;
  const { hooks } = hooksOf(
    plugin("shouts", {
      message_sending: { priority: 1, run: ({ content }) => ({ content: content.toUpperCase(), cancel: false }) },
    }),
    plugin("censor", { message_sending: { run: ({ content }) => (content === "HI" ? { cancel: true } : undefined) } }),
    plugin("late", { message_sending: { priority: -1, run: unused } }),
  );
  const { event, merged } = await hooks.run("message_sending", { content: "hi", target }, () => PLACE);
  expect([event.content, merged?.cancel]).toEqual(["HI", true]);
});

test("a hook that throws is logged and skipped", async () => {
  const { hooks, logged } = hooksOf(
    plugin("bad", { before_model_resolve: { priority: 1, run: unused } }),
    plugin("late", { before_model_resolve: { run: () => Promise.reject(new Error("late")) } }),
    plugin("good", { before_model_resolve: { run: () => ({ modelOverride: "good" }) } }),
  );
  const { merged } = await hooks.run("before_model_resolve", model, () => PLACE);
  expect(merged).toEqual({ modelOverride: "good" });
  expect(logged).toEqual([
    { event: "hook.failed", hook: "before_model_resolve", plugin: "bad", error: "nobody should come here" },
    { event: "hook.failed", hook: "before_model_resolve", plugin: "late", error: "late" },
  ]);
});

test("a hook that takes too long is told so, logged and skipped", async () => {
  let context: HookContext | undefined;
  const { hooks, logged } = hooksOf(
    plugin("slow", {
      before_model_resolve: {
        run(_, given) {
          context = given;
          return new Promise(() => {});
        },
      },
    }),
    plugin("good", { before_model_resolve: { run: () => ({ modelOverride: "good" }) } }),
  );
  const { merged } = await hooks.run("before_model_resolve", model, () => PLACE);
  expect(merged).toEqual({ modelOverride: "good" });
  expect(context?.signal.aborted).toBe(true);
  expect(logged).toMatchObject([{ plugin: "slow", error: "it took longer than 30 ms" }]);
});

test("a hook before a tool call that throws, or takes too long, blocks the call", async () => {
  for (const run of [unused, () => new Promise<undefined>(() => {})]) {
    const { hooks } = hooksOf(
      plugin("guard", { before_tool_call: { priority: 1, run } }),
      plugin("late", { before_tool_call: { run: unused } }),
    );
    const { merged } = await hooks.run("before_tool_call", call, () => PLACE);
    expect(merged).toMatchObject({ block: true, reason: expect.stringContaining("the plugin guard could not check") });
  }
});

test("a result is handed from one hook to the next at once, and a promise is refused", () => {
  const { hooks, logged } = hooksOf(
    plugin("a", { tool_result_persist: { priority: 1, run: ({ text }) => ({ text: `${text}!` }) } }),
    // @ts-expect-error: a promise is no answer here
    plugin("late", { tool_result_persist: { run: async () => ({ text: "late" }) } }),
    plugin("bad", { tool_result_persist: { run: unused } }),
    plugin("b", { tool_result_persist: { run: ({ text }) => ({ text: `${text}?`, isError: true }) } }),
  );
  const { event } = hooks.runSync("tool_result_persist", { ...call, text: "ok", isError: false }, () => PLACE);
  expect(event).toEqual({ ...call, text: "ok!?", isError: true });
  expect(logged).toMatchObject([{ plugin: "late", error: expect.stringContaining("promise") }, { plugin: "bad" }]);
});

test("the files of the prompt are those that the last hook leaves", async () => {
  const { hooks } = hooksOf(
    plugin("adds", {
      "agent:bootstrap": {
        priority: 1,
        run: ({ files }) => ({ files: [...files, { path: "HOUSE.md", content: "Be" }] }),
      },
    }),
    plugin("removes", {
      "agent:bootstrap": { run: ({ files }) => ({ files: files.filter(({ path }) => path !== "SOUL.md") }) },
    }),
  );
  const file = { content: "x", rawChars: 1, injectedChars: 1, truncated: false, missing: false };
  const files = [
    { path: "AGENTS.md", ...file },
    { path: "SOUL.md", ...file },
  ];
  const { event } = await hooks.run("agent:bootstrap", { files }, () => PLACE);
  expect(event.files.map(({ path, rawChars }) => [path, rawChars])).toEqual([
    ["AGENTS.md", 1],
    ["HOUSE.md", 2],
  ]);
});

test("each hook is given the settings of its own plugin", async () => {
  const seen: unknown[] = [];
  const look = { agent_end: { run: (_: unknown, { settings }: HookContext) => void seen.push(settings) } };
  const { hooks } = hooksOf(plugin("a", look, { n: 1 }), plugin("b", look, { n: 2 }));
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  const end = { status: "ok", messages: [], model: "fake/x", usage, durationMs: 1 } as const;
  await hooks.run("agent_end", end, () => PLACE);
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
});
