import { expect, test } from "vitest";
import { z } from "zod";
import { runLoop } from "../../src/agent/loop.ts";
import type { LoopDeps } from "../../src/agent/loop-deps.ts";
import { FatalRunError } from "../../src/agent/run-error.ts";
import { SUMMARY_SYSTEM } from "../../src/agent/summary-prompt.ts";
import { type AnyTool, defineTool } from "../../src/agent/tool.ts";
import { type Message, NO_USAGE } from "../../src/models/message.ts";
import type { Model, ModelEvent, ModelReply } from "../../src/models/model.ts";
import { MemoryJournal } from "./memory-journal.ts";

const CONTEXT = { contextTokens: 200_000, reserveTokens: 1000, keepRecentTokens: 1000 };
const REFUSED: ModelReply = {
  parts: [],
  stop: "error",
  usage: NO_USAGE,
  error: { kind: "overflow", message: "Too long." },
};

function said(text: string, usage = NO_USAGE): ModelReply {
  return { parts: [{ type: "text", text }], stop: "stop", usage };
}

function calls(n: number): ModelReply {
  const parts = [{ type: "tool-call" as const, callId: `call_${n}`, tool: "dump", args: { n } }];
  return { parts, stop: "tool-calls", usage: NO_USAGE };
}

const user = (id: string, words: number): Message => ({ role: "user", id, at: 0, text: "word ".repeat(words) });

function dumpOf(words: number): AnyTool {
  return defineTool({
    name: "dump",
    summary: "Dump",
    description: "Dumps.",
    parameters: z.looseObject({}),
    replay: "safe",
    sequential: false,
    run: async () => ({ text: "word ".repeat(words) }),
  });
}

/** Runs a loop with a window of 8,000 tokens; the model answers by a script and writes summaries of `summaryWords`. */
async function run(
  messages: Message[],
  answers: ModelReply[],
  summaryWords: number,
  resultWords = 10,
  journal = new MemoryJournal(),
  budget?: LoopDeps["budget"],
) {
  const asked: ("summary" | "answer")[] = [];
  let next = 0;
  const model: Model = {
    ref: "test/model",
    contextWindow: 8000,
    maxOutputTokens: 100,
    async *stream({ system }): AsyncIterable<ModelEvent> {
      const isSummary = system.stable === SUMMARY_SYSTEM;
      asked.push(isSummary ? "summary" : "answer");
      const reply = isSummary
        ? said(`- ${"long ".repeat(summaryWords)}`, { ...NO_USAGE, input: 7 })
        : (answers[next++] ?? said("Done."));
      yield { type: "end", reply };
    },
  };
  journal.messages = messages;
  const loop: LoopDeps = {
    model,
    request: { system: { stable: "", dynamic: "" }, thinking: "off", loadFile: async () => undefined },
    tools: [dumpOf(resultWords)],
    journal,
    modelIdleMs: 0,
    budget,
    gate: async () => ({ kind: "go", approved: false }),
    context: CONTEXT,
    repetition: { enabled: false, warnAfter: 3, stopAfter: 5 },
    keep: async (output) => output,
    emit: () => undefined,
    newMessageId: () => `msg_${asked.length}_${journal.messages.length}`,
    now: () => 0,
  };
  return { end: await runLoop(loop, new AbortController().signal), asked, journal };
}

const OLD = [user("a", 700), user("b", 6800)];

test("a summary that saves nothing is rejected, and the model is asked anyway", async () => {
  const { end, asked, journal } = await run([...OLD], [], 900);
  expect(end).toMatchObject({ kind: "reply", message: { parts: [{ text: "Done." }] } });
  expect(asked).toEqual(["summary", "answer"]);
  expect(journal.refused).toEqual(["The summary is no shorter than what it stands for."]);
  expect(journal.summaries).toEqual([]);
});

test("after a compaction that did not help, a run makes no other before its context has grown", async () => {
  const steps = Array.from({ length: 6 }, (_, n) => calls(n));
  const { asked } = await run([...OLD], steps, 900);
  expect(asked.filter((what) => what === "summary")).toHaveLength(1);
  const { asked: grown } = await run([...OLD], steps.slice(0, 3), 9000, 800);
  expect(grown.filter((what) => what === "summary").length).toBeGreaterThan(1);
});

test("a model that refuses every request for its size is asked three times, with two compactions between", async () => {
  const { end, asked, journal } = await run([...OLD], [REFUSED, REFUSED, REFUSED, REFUSED], 900);
  expect(end).toMatchObject({ kind: "reply", message: { error: { kind: "overflow" } } });
  expect(end.kind === "reply" && end.message.error?.message).toMatch(/: Too long\.[\s\S]*\/new[\s\S]*\/compact/);
  expect(asked.filter((what) => what === "answer").length).toBeLessThanOrEqual(3);
  expect(journal.refused.length).toBeLessThanOrEqual(2);
});

test("a good reply resets the count of failed compactions", async () => {
  const { end, journal } = await run(
    [user("a", 2000), user("b", 100)],
    [REFUSED, calls(1), calls(2), REFUSED, calls(3), calls(4), REFUSED],
    50,
    600,
  );
  expect(end).toMatchObject({ kind: "reply", message: { parts: [{ text: "Done." }] } });
  expect(journal.summaries.map(({ reason }) => reason)).toEqual(["overflow", "overflow", "overflow"]);
});

test("a budget that ends a run during a compaction ends the compaction first, and its usage counts", async () => {
  const journal = new MemoryJournal();
  const messages = Array.from({ length: 12 }, (_, n) => user(`m${n}`, 2000));
  let calls = 0;
  const reserve = async () => {
    if (++calls === 3) throw new FatalRunError("budget", "No money.");
    return () => undefined;
  };
  await expect(run(messages, [], 100, 10, journal, { reserve, claim: async () => () => undefined })).rejects.toThrow(
    "No money.",
  );
  expect(journal.refused).toEqual(["No money."]);
  expect(journal.spentInVain).toBe(14);
});
