import { expect, test } from "vitest";
import { promptShares } from "../../src/web/prompt-share.ts";
import { scriptedPrompt } from "../e2e/scripted-prompt.ts";

test("the parts of a request add up to all of it, and what takes nothing is none", () => {
  const prompt = scriptedPrompt({ messages: { count: 2, tokens: 50 } });
  const shares = promptShares(prompt);
  expect(shares.map(({ part, tokens }) => [part, tokens])).toEqual([
    ["rules", 420],
    ["files", 1800],
    ["turn", 72],
    ["tools", 120],
    ["conversation", 50],
  ]);
  const { prompt: all, tools } = prompt.totals;
  expect(shares.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(all.tokens + tools.tokens + 50);
  expect(promptShares(scriptedPrompt({ sections: [] })).map(({ part }) => part)).toEqual(["rules", "turn", "tools"]);
});
