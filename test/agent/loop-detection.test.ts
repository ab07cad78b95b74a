import { describe, expect, test } from "vitest";
import { repetitionIn, stopRepetition, withRepetitionNote } from "../../src/agent/loop-detection.ts";
import { pruneResult } from "../../src/agent/pruning.ts";
import { FatalRunError } from "../../src/agent/run-error.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type Message, NO_USAGE, type ToolCallPart, type ToolMessage } from "../../src/models/message.ts";

const LIMITS = { enabled: true, warnAfter: 3, stopAfter: 5 };

/** A call as tool, arguments and result. */
type Done = [tool: string, args: JsonObject, text: string, more?: Partial<ToolMessage>];

const user: Message = { role: "user", id: "msg_u", at: 0, text: "Go" };
let serial = 0;

/** One reply with its calls and their results. */
function round(...done: Done[]): Message[] {
  const calls = done.map(
    ([tool, args], n) => ({ type: "tool-call", callId: `call_${serial}_${n}`, tool, args }) as const,
  );
  const results = done.map(([tool, , text, more], n): ToolMessage => {
    return { role: "tool", id: "msg_t", at: 0, callId: `call_${serial}_${n}`, tool, text, isError: false, ...more };
  });
  serial++;
  return [
    { role: "assistant", id: "msg_a", at: 0, parts: calls, stop: "tool-calls", usage: NO_USAGE, model: "x" },
    ...results,
  ];
}

const A: Done = ["read", { path: "a.md", limit: 1 }, "one"];
const B: Done = ["ls", { path: "." }, "a.md"];
const C: Done = ["grep", { q: "x" }, "none"];
const times = (...rounds: Message[][]) => repetitionIn([user, ...rounds.flat()]).times;

test("equal calls with equal results count as a repetition, whatever the order of arguments", () => {
  expect(times()).toBe(0);
  expect(times(round(A))).toBe(1);
  expect(times(round(A), round(["read", { limit: 1, path: "a.md" }, "one"]), round(A))).toBe(3);
});

test("another result, argument, tool or an error is no repetition", () => {
  expect(times(round(A), round(["read", { path: "a.md", limit: 1 }, "two"]))).toBe(1);
  expect(times(round(A), round(["read", { path: "b.md", limit: 1 }, "one"]))).toBe(1);
  expect(times(round(A), round(["open", { path: "a.md", limit: 1 }, "one"]))).toBe(1);
  expect(times(round(A), round(["read", A[1], "one", { isError: true }]))).toBe(1);
  expect(times(round(A), round(["read", A[1], "one", { images: [{ path: "s.png", mediaType: "image/png" }] }]))).toBe(
    1,
  );
});

test("equal calls in one reply count once as a repetition", () => {
  expect(times(round(A, A, A))).toBe(1);
  expect(times(round(A, A), round(A, A))).toBe(2);
});

test("a call that is repeated in every round counts, whatever is called beside it", () => {
  const beside = (n: number): Done => ["write", { n }, "written"];
  expect(times(round(A, beside(1)), round(beside(2), A), round(A, beside(3)))).toBe(3);
});

test("a cycle of two or three calls is a repetition, one of four is not", () => {
  const [a, b, c] = [() => round(A), () => round(B), () => round(C)];
  expect(repetitionIn([user, ...a(), ...b(), ...a(), ...b(), ...a()])).toEqual({ tools: ["ls", "read"], times: 3 });
  expect(times(a(), b(), c(), a(), b(), c())).toBe(2);
  const d = () => round(["find", {}, "x"]);
  expect(times(a(), b(), c(), d(), a(), b(), c(), d())).toBe(1);
});

test("a cycle of calls that has ended no longer counts", () => {
  expect(times(round(A), round(A), round(B))).toBe(1);
  expect(times(round(A), round(A), round(B), round(A))).toBe(2);
});

test("a new user message resets the repetition count", () => {
  expect(repetitionIn([user, ...round(A), ...round(A), user, ...round(A)]).times).toBe(1);
});

test("random ids in results do not hide a repetition", () => {
  const spilled = (id: string): Done => ["read", {}, `[see .openclaw/results/spl_${id.repeat(26)}.txt]`];
  expect(times(round(spilled("0")), round(spilled("1")))).toBe(2);
  const fenced = (id: string): Done => ["web", {}, `<<<EXTERNAL_UNTRUSTED_CONTENT id="${id.repeat(16)}">>>`];
  expect(times(round(fenced("a")), round(fenced("b")))).toBe(2);
});

/** Runs equal calls and returns each result as stored, with a note if there is one. */
function noted(count: number, limits = LIMITS): { messages: Message[]; texts: string[] } {
  return notedRounds(A, count, limits);
}

function notedRounds(done: Done, count: number, limits = LIMITS): { messages: Message[]; texts: string[] } {
  const messages: Message[] = [user];
  for (let n = 0; n < count; n++) {
    const [reply, result] = round(done);
    if (reply?.role !== "assistant" || result?.role !== "tool") throw new Error("no round");
    messages.push(reply);
    messages.push(withRepetitionNote(result, reply.parts[0] as ToolCallPart, messages, limits));
  }
  return { messages, texts: messages.flatMap((message) => (message.role === "tool" ? [message.text] : [])) };
}

test("the model gets a note from the third repetition on, which later comparisons ignore", () => {
  const { texts, messages } = noted(5);
  expect(texts.slice(0, 2)).toEqual(["one", "one"]);
  expect(texts[2]).toMatch(/^one\n\n\[System\] You have made this call 3 times .* after 5 times the run is stopped\.$/);
  expect(texts[4]).toContain("5 times");
  expect(repetitionIn(messages).times).toBe(5);
});

describe("pruned results", () => {
  const RULES = { keepLastAssistants: 3, startRatio: 0.5, maxChars: 400, headChars: 100, tailChars: 300 };
  const long = (middle: string): Done => ["read", {}, `begin ${"x".repeat(300)}${middle}${"y".repeat(300)} end`];
  const old = (messages: Message[]) =>
    messages.map((message, n) =>
      message.role === "tool" ? pruneResult(message, RULES, `Use read on ${n}.`) : message,
    );

  test("are compared by their remaining parts", () => {
    expect(times(old(round(long("1"))), old(round(long("1"))), round(long("1")), round(long("1")))).toBe(4);
    expect(times(old(round(long("1"))), round(long("12")))).toBe(1);
    expect(times(old(round(long("1"))), round(["read", {}, `begin${"x".repeat(602)} END`]))).toBe(1);
  });

  test("differ as long as they are whole, however similar their ends", () => {
    expect(times(round(long("1")), round(long("2")))).toBe(1);
  });

  test("are compared without the note below them", () => {
    const [, , , ...noted] = notedRounds(long("1"), 4).messages;
    expect(repetitionIn([user, ...old(noted)]).times).toBe(3);
    expect(repetitionIn([user, ...old(noted), ...round(long("1"))]).times).toBe(4);
  });
});

test("a run is stopped at the fifth repetition and not before", () => {
  expect(() => stopRepetition(noted(4).messages, LIMITS)).not.toThrow();
  expect(() => stopRepetition(noted(5).messages, LIMITS)).toThrow(FatalRunError);
  expect(() => stopRepetition(noted(5).messages, LIMITS)).toThrow(/it called `read` 5 times/);
});

test("repetition is not detected if that is switched off", () => {
  const off = { ...LIMITS, enabled: false };
  const { messages, texts } = noted(9, off);
  expect(new Set(texts)).toEqual(new Set(["one"]));
  expect(() => stopRepetition(messages, off)).not.toThrow();
});
