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
  const promptOf = (id: string) => groupRulesOf(groups, id)?.prompt;
  expect(["octo/repo#7", "octo/repo#8", "octo/repo-2#7", "ada/repo#7"].map(promptOf)).toEqual([
    ...["of the issue", "of the repository", "of octo", "of all"],
  ]);
  expect(groupRulesOf({ "octo/*": {} }, "ada/repo#7")).toBeUndefined();
  expect(groupRulesOf({ "-100*": {} }, "-1005")).toEqual({});
  expect(groupRulesOf({ "-100*": {} }, "*")).toBeUndefined();
});

test("a name that every object has is no group", () => {
  expect(groupRulesOf({}, "constructor")).toBeUndefined();
});
