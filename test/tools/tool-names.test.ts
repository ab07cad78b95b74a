import { expect, test } from "vitest";
import { type ToolDeps, toolsFor } from "../../src/tools/index.ts";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";

test("the list of names has every built-in tool, those for media included, and nothing else", () => {
  const nothing = { maySpawn: true, timeoutSec: 120, service: { name: "Search", url: "https://search.example.org" } };
  const media = new Proxy({}, { get: () => nothing });
  const behind = new Proxy({}, { get: (_, port) => (port === "media" ? media : nothing) }) as Record<
    keyof ToolDeps,
    never
  >;
  const tools = toolsFor(
    Object.assign(Object.create(behind) as ToolDeps, { owner: true, plans: true, has: () => true }),
  );
  expect(tools.map(({ name }) => name).toSorted()).toEqual([...TOOL_NAMES].toSorted());
});
