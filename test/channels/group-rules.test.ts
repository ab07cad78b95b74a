import { expect, test } from "vitest";
import { groupRulesOf } from "../../src/channels/group-rules.ts";

const rules = (prompt: string) => ({ prompt });

test("a group has its own rules, else those of the longest beginning that it has, else none", () => {
  const groups = {
    "octo/*": rules("of octo"),
    "octo/repo#*": rules("of the repository"),
    "octo/repo#7": rules("of the issue"),
    "*": rules("of all"),
  };
  const promptOf = (id: string) => groupRulesOf(groups, { id })?.prompt;
  expect(["octo/repo#7", "octo/repo#8", "octo/repo-2#7", "ada/repo#7"].map(promptOf)).toEqual([
    ...["of the issue", "of the repository", "of octo", "of all"],
  ]);
  expect(groupRulesOf({ "octo/*": {} }, { id: "ada/repo#7" })).toBeUndefined();
  expect(groupRulesOf({ "-100*": {} }, { id: "-1005" })).toEqual({});
  expect(groupRulesOf({ "-100*": {} }, { id: "*" })).toBeUndefined();
});

test("a name that every object has is no group", () => {
  expect(groupRulesOf({}, { id: "constructor" })).toBeUndefined();
});

test("a thread with an id of its own has its own rules, else its channel's, else those of all", () => {
  const groups = { channel: rules("of the channel"), thread: rules("of the thread"), "*": rules("of all") };
  const promptOf = (id: string, parentId?: string) => groupRulesOf(groups, { id, parentId })?.prompt;
  expect(promptOf("thread", "channel")).toBe("of the thread");
  expect(promptOf("another", "channel")).toBe("of the channel");
  expect(promptOf("another", "elsewhere")).toBe("of all");
});
