import { expect, test } from "vitest";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";
import { allTools } from "../eval/tools/check-tools.ts";

test("the list of names has every built-in tool, those for media included, and nothing else", () => {
  expect(
    allTools()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...TOOL_NAMES].toSorted());
});
