import { expect, test } from "vitest";
import { isAddressedIn } from "../../src/config/group-chat.ts";
import { wholeSchema } from "./whole-schema.ts";

function addressed(text: string, entry: object, messages: object = {}): boolean {
  return isAddressedIn(text, wholeSchema.parse({ agents: { list: [{ id: "main", ...entry }] }, messages }), "main");
}

test.each([
  ["Pill, what is this?", true],
  ["hey @pill", true],
  ["I took a pill.", true],
  ["PILLOW fight", false],
  ["caterpillar", false],
  ["nothing of it", false],
])("an agent called Pill is addressed by its name, as a word: %s", (text, is) => {
  expect(addressed(text, { identity: { name: "Pill" } })).toBe(is);
});

test("a name in a script without spaces is found in the middle, and signs of a name stand for themselves", () => {
  expect(addressed("请小虫看一下", { identity: { name: "小虫" } })).toBe(true);
  expect(addressed("ask C-3PO (v2) now", { identity: { name: "C-3PO (v2)" } })).toBe(true);
  expect(addressed("ask CC3PO v2 now", { identity: { name: "C-3PO (v2)" } })).toBe(false);
});

test("patterns of the agent win over those for all, and both over its name", () => {
  const all = { groupChat: { mentionPatterns: ["^bot\\b"] } };
  const identity = { name: "Pill" };
  expect(addressed("Bot, look", { identity }, all)).toBe(true);
  expect(addressed("Pill, look", { identity }, all)).toBe(false);
  expect(addressed("Bot, look", { identity, groupChat: { mentionPatterns: ["\\bworm\\b"] } }, all)).toBe(false);
  expect(addressed("the worm", { identity, groupChat: { mentionPatterns: ["\\bworm\\b"] } }, all)).toBe(true);
  expect(addressed("Pill", { identity, groupChat: { mentionPatterns: [] } })).toBe(false);
});

test("an agent without name and patterns is never addressed, and an invalid pattern is refused", () => {
  expect(addressed("main", {})).toBe(false);
  const messages = { groupChat: { mentionPatterns: ["("] } };
  expect(wholeSchema.safeParse({ messages }).success).toBe(false);
});

test("a pattern that backtracks exponentially elsewhere matches in linear time, and look-around is refused", () => {
  const groupChat = { mentionPatterns: ["(a+)+$"] };
  expect(addressed(`${"a".repeat(3999)}!`, { groupChat })).toBe(false);
  expect(wholeSchema.safeParse({ messages: { groupChat: { mentionPatterns: ["(?=bot)"] } } }).success).toBe(false);
});
