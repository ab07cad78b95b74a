import { expect, test } from "vitest";
import type { HistoryMessage } from "../../src/client/wire.ts";
import type { AssistantPart, StopReason } from "../../src/models/message.ts";
import { NO_USAGE } from "../../src/models/message.ts";
import { type Conversation, EMPTY } from "../../src/web/conversation.ts";
import { groupTurns, turnBlocks, turnProblem } from "../../src/web/turns.ts";

const READ: AssistantPart = { type: "tool-call", callId: "c1", tool: "read", args: { path: "SOUL.md" } };

test("the messages of a run make one turn, and another run begins another", () => {
  const turns = groupTurns(conversationOf([user(1, "run_1"), says(2, "run_1", "Hi"), user(3, "run_2")]));
  expect(turns.map((turn) => [turn.runId, turn.messages.length])).toEqual([
    ["run_1", 2],
    ["run_2", 1],
  ]);
});

test("a message that joins a run in its middle is shown where it was said", () => {
  const turns = groupTurns(conversationOf([user(1, "run_1"), user(2, "run_2"), says(3, "run_1", "To both of you")]));
  expect(turns.map((turn) => turn.runId)).toEqual(["run_1", "run_2", "run_1"]);
  expect(new Set(turns.map((turn) => turn.key)).size).toBe(3);
});

test("a tool call carries its result, or what is known of it", () => {
  const called = assistant(2, "run_1", [READ], "tool-calls");
  const stateIn = (conversation: Conversation) => {
    const [, block] = turnBlocks(groupTurns(conversation)[0]!, conversation);
    return block?.type === "tool" ? [block.call.state, block.call.text] : undefined;
  };
  const running = { ...conversationOf([user(1, "run_1"), called]), progress: { c1: "half of it" } };
  expect(stateIn({ ...running, runs: { run_1: { state: "active" } } })).toEqual(["running", "half of it"]);
  expect(stateIn(conversationOf([user(1, "run_1"), called]))).toEqual(["unknown", ""]);
  expect(stateIn(conversationOf([user(1, "run_1"), called, result(3, "run_1", false)]))).toEqual(["ok", "the file"]);
  expect(stateIn(conversationOf([user(1, "run_1"), called, result(3, "run_1", true)]))).toEqual(["failed", "the file"]);
});

test("the files that a reply names follow its words", () => {
  const named = {
    ...assistant(2, "run_1", [{ type: "text", text: "Here:" }], "stop"),
    directives: { files: ["a.png"] },
  };
  const [turn] = groupTurns(conversationOf([user(1, "run_1"), named]));
  const texts = turnBlocks(turn!, EMPTY).flatMap((block) => (block.type === "text" ? [block.text] : []));
  expect(texts).toEqual(["Here:", "📎 `a.png`"]);
});

test("words in the making stand at the end of their run's turn", () => {
  const draft = { runId: "run_1", parts: [{ type: "text", text: "It is" }] } as const;
  const [turn] = groupTurns({ ...conversationOf([user(1, "run_1")]), draft });
  expect(turnBlocks(turn!, EMPTY).map((block) => block.type)).toEqual(["user", "text"]);
});

test("a reply that means silence is not shown, nor what may turn out to be one", () => {
  const [turn] = groupTurns(conversationOf([user(1, "run_1"), says(2, "run_1", "**NO_REPLY**\n")]));
  expect(turnBlocks(turn!, EMPTY).map((block) => block.type)).toEqual(["user"]);
  for (const [text, shown] of [
    ["NO_RE", 0],
    ["No, re", 1],
  ] as const) {
    const draft = { runId: "run_1", parts: [{ type: "text", text }] } as const;
    const [making] = groupTurns({ ...conversationOf([user(1, "run_1")]), draft });
    expect(turnBlocks(making!, EMPTY).filter((block) => block.type === "text")).toHaveLength(shown);
  }
});

test("an answer that is no whole one says why, also when the page was not there", () => {
  const troubleWith = (stop: StopReason) =>
    turnProblem(groupTurns(conversationOf([user(1, "run_1"), assistant(2, "run_1", [], stop)]))[0]!)?.type;
  expect(["stop", "length", "refusal", "aborted", "error"].map((stop) => troubleWith(stop as StopReason))).toEqual([
    undefined,
    "length",
    "refusal",
    "aborted",
    "error",
  ]);
});

test("a failed run says why, and a stopped one that it was stopped", () => {
  const troubleOfRun = (code: "timeout" | "aborted") => {
    const runs = { run_1: { state: "failed", error: { code, message: "It took too long." } } } as const;
    return turnProblem(groupTurns({ ...conversationOf([user(1, "run_1")]), runs })[0]!);
  };
  expect(troubleOfRun("timeout")).toEqual({ type: "error", message: "It took too long." });
  expect(troubleOfRun("aborted")).toEqual({ type: "aborted" });
});

function conversationOf(messages: HistoryMessage[]): Conversation {
  return { ...EMPTY, messages };
}

function user(seq: number, runId: string): HistoryMessage {
  return { id: `u${seq}`, at: 0, role: "user", text: "Hello", seq, runId };
}

function says(seq: number, runId: string, text: string): HistoryMessage {
  return assistant(seq, runId, [{ type: "text", text }], "stop");
}

function assistant(seq: number, runId: string, parts: AssistantPart[], stop: StopReason): HistoryMessage {
  return { id: `a${seq}`, at: 0, role: "assistant", parts, stop, usage: NO_USAGE, model: "offline/rules", seq, runId };
}

function result(seq: number, runId: string, isError: boolean): HistoryMessage {
  return { id: `t${seq}`, at: 0, role: "tool", callId: "c1", tool: "read", text: "the file", isError, seq, runId };
}
