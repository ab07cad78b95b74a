import { expect, test } from "vitest";
import { firstKept } from "../../src/agent/compact.ts";
import { messagesTokens } from "../../src/agent/context-size.ts";
import { type Message, NO_USAGE } from "../../src/models/message.ts";

let serial = 0;

function head() {
  return { id: `msg_${serial++}`, at: 0 };
}

function user(words: number): Message {
  return { ...head(), role: "user", text: "word ".repeat(words) };
}

function reply(words: number, calls: string[] = []): Message {
  const parts = [
    { type: "text" as const, text: "word ".repeat(words) },
    ...calls.map((callId) => ({ type: "tool-call" as const, callId, tool: "dump", args: {} })),
  ];
  return { ...head(), role: "assistant", parts, stop: "stop", model: "test/model", usage: NO_USAGE };
}

function result(callId: string, words: number): Message {
  return { ...head(), role: "tool", callId, tool: "dump", text: "word ".repeat(words), isError: false };
}

/** A random conversation, determined by its seed. */
function conversation(seed: number): Message[] {
  let state = seed;
  const chance = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  return Array.from({ length: 12 }, (_, turn) => {
    const calls = Array.from({ length: chance(4) }, (_, n) => `call_${turn}_${n}`);
    const called = calls.length === 0 ? [] : [reply(chance(50), calls), ...calls.map((id) => result(id, chance(400)))];
    return [user(chance(200)), ...called, reply(chance(300))];
  }).flat();
}

test("a compaction of any conversation cuts before a message that is no tool result, and the rest fits", () => {
  for (let seed = 0; seed < 300; seed++) {
    const messages = conversation(seed);
    const keepTokens = 100 + seed * 10;
    const first = firstKept({ messages, pinned: 0 }, keepTokens, {});
    if (first === undefined) continue;
    const kept = messages.slice(first);
    expect(kept[0]?.role).not.toBe("tool");
    const called = kept.flatMap((message) => (message.role === "assistant" ? message.parts : []));
    const ids = called.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
    expect(kept.flatMap((message) => (message.role === "tool" ? [message.callId] : []))).toEqual(ids);
    const isOneStep = kept.filter(({ role }) => role !== "tool").length === 1;
    expect(isOneStep || messagesTokens(kept, {}) <= keepTokens).toBe(true);
  }
});

test("the kept messages begin with a user message if that keeps at least half as much", () => {
  const messages = [user(900), reply(900), reply(300), user(10), reply(400), reply(150)];
  expect(firstKept({ messages, pinned: 0 }, 1000, {})).toBe(3);
  const wordy = [user(900), reply(900), reply(600), user(10), reply(30)];
  expect(firstKept({ messages: wordy, pinned: 0 }, 1000, {})).toBe(2);
});

test("a compaction always keeps the last message, and does not summarize a summary alone", () => {
  expect(firstKept({ messages: [user(900), user(5000)], pinned: 0 }, 100, {})).toBe(1);
  expect(firstKept({ messages: [user(900), user(50), user(5000)], pinned: 1 }, 100, {})).toBeUndefined();
  expect(firstKept({ messages: [user(900), user(500), user(5000)], pinned: 1 }, 100, {})).toBe(2);
});
