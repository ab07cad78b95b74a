import { expect, test } from "vitest";
import type { PruningRules } from "../../src/agent/context-rules.ts";
import { isWorthPruning, planPruning, pruneMedia, pruneResult } from "../../src/agent/pruning.ts";
import { type Message, NO_USAGE, type ToolMessage, type UserMessage } from "../../src/models/message.ts";

const RULES: PruningRules = { keepLastAssistants: 2, startRatio: 0.5, maxChars: 400, headChars: 100, tailChars: 50 };

function result(n: number, text: string, more: Partial<ToolMessage> = {}): ToolMessage {
  return { role: "tool", id: `msg_r${n}`, at: 0, callId: `call_${n}`, tool: "dump", text, isError: false, ...more };
}

function reply(n: number): Message {
  const parts = [{ type: "tool-call" as const, callId: `call_${n}`, tool: "dump", args: {} }];
  return { role: "assistant", id: `msg_a${n}`, at: 0, parts, stop: "tool-calls", model: "test/model", usage: NO_USAGE };
}

const LONG = `BEGIN ${"🦀 data ".repeat(500)}END`;

test("pruning keeps the head and the tail of a long result, says how much is missing and where it is, and is idempotent", () => {
  const once = pruneResult(result(0, LONG), RULES, "Use read on x.txt.");
  expect(once.text).toMatch(/^BEGIN 🦀[\s\S]*\d+ of \d+ characters[\s\S]*Use read on x\.txt\.[\s\S]*END$/u);
  expect(once.text.length).toBeLessThan(400);
  expect(once.text.isWellFormed()).toBe(true);
  expect(pruneResult(once, RULES, "Use read on x.txt.")).toBe(once);
});

test("pruning leaves short results unchanged, and names the images of old results instead of showing them", () => {
  const short = result(0, "short");
  expect(pruneResult(short, RULES, "")).toBe(short);
  const seen = pruneResult(result(0, "seen", { images: [{ path: "a.png", mediaType: "image/png" }] }), RULES, "");
  expect(seen.images).toBeUndefined();
  expect(seen.text).toContain("a.png");
});

test("pruning leaves the results of the newest replies whole", () => {
  const messages = [0, 1, 2, 3].flatMap((n) => [reply(n), result(n, LONG)]);
  const two = planPruning(messages, RULES, {});
  expect(two.beforeId).toBe("msg_a2");
  const none = planPruning(messages, { ...RULES, keepLastAssistants: 0 }, {});
  expect(none.beforeId).toBeUndefined();
  expect(none.saved).toBeCloseTo(two.saved * 2, -1);
  const shown = messages.map((message) => (message.role === "tool" ? pruneResult(message, RULES, "") : message));
  expect(planPruning(shown, { ...RULES, keepLastAssistants: 0 }, {}).saved).toBe(0);
});

test("pruning leaves out the files of older messages, which count only for a model that takes them", () => {
  const media = [{ path: "a.pdf", mediaType: "application/pdf" as const, bytes: 9, pages: 12 }];
  const asked: UserMessage = { role: "user", id: "msg_u", at: 0, text: "Read it.", media };
  const messages = [asked, reply(0), reply(1)];
  const seen = { input: ["pdf"] as const };
  expect(planPruning(messages, RULES, seen)).toEqual({ beforeId: "msg_a0", saved: 24_000 });
  expect(planPruning(messages, RULES, { input: ["image"] }).saved).toBe(0);
  expect(planPruning([reply(0), asked, reply(1)], RULES, seen).saved).toBe(0);
  const pruned = pruneMedia(asked);
  expect(pruned.media).toMatchObject([{ path: "a.pdf", isPruned: true }]);
  expect(planPruning([pruned, reply(0), reply(1)], RULES, seen).saved).toBe(0);
});

test("pruning is worth it only if it frees a twentieth of the window", () => {
  expect(isWorthPruning(999, 20_000)).toBe(false);
  expect(isWorthPruning(1000, 20_000)).toBe(true);
});
