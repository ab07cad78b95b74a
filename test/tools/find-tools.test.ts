import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AnyTool, defineTool } from "../../src/agent/tool.ts";
import { type AssistantMessage, type Message, NO_USAGE } from "../../src/models/message.ts";
import { toolsOnDemand } from "../../src/tools/find-tools.ts";
import { toolFinder } from "../../src/tools/tool-finder.ts";

function tool(name: string, description: string, about = ""): AnyTool {
  return defineTool({
    ...{ name, summary: name, description, parameters: z.record(z.string(), z.unknown()) },
    ...{ replay: "unsafe" as const, sequential: true },
    schema: { type: "object", properties: { id: { type: "string", description: about } } },
    run: async () => ({ text: "done" }),
  });
}

const TOOLS = [
  tool("mcp_tracker_create_issue", "Creates an issue in a project."),
  tool("mcp_tracker_list_issues", "Lists the issues of a project, with their labels."),
  tool("mcp_calendar_addEvent", "Adds an appointment to a calendar."),
  tool("mcp_ditu_lukuang", "查询一个城市的实时路况和拥堵。"),
  tool("mcp_ditu_tianqi", "查询一个城市的天气预报。"),
];

const names = (tools: readonly AnyTool[]) => tools.map(({ name }) => name);

describe("tools are found", () => {
  const find = toolFinder(TOOLS);

  test.each([
    ["new issue, create", "mcp_tracker_create_issue"],
    ["which issues have this label", "mcp_tracker_list_issues"],
    ["add events", "mcp_calendar_addEvent"],
    ["路况", "mcp_ditu_lukuang"],
    ["上海明天天气怎么样", "mcp_ditu_tianqi"],
  ])("by words of their names and descriptions: %s", (query, name) => {
    expect(names(find(query, 5))[0]).toBe(name);
  });

  test("as many as wanted at most, and none by words that none has", () => {
    expect(find("issue", 1)).toHaveLength(1);
    expect(find("issue", 5)).toHaveLength(2);
    expect(find("bicycle", 5)).toEqual([]);
  });
});

describe("a conversation has the schemas", () => {
  const { find, foundIn } = toolsOnDemand(TOOLS);
  const called = (...calls: [name: string, args: object][]): AssistantMessage => ({
    ...{ role: "assistant", id: "msg_1", at: 0, model: "a/b", stop: "tool-calls", usage: NO_USAGE },
    parts: calls.map(([name, args], n) => ({
      ...{ type: "tool-call" as const, callId: `call_${n}`, tool: name, args: { ...args } as never },
    })),
  });

  test("of what its calls have found or named, in that order and each once", () => {
    const first: Message[] = [called(["find_tools", { query: "天气", count: 1 }])];
    expect(names(foundIn(first))).toEqual(["mcp_ditu_tianqi"]);
    const later = [...first, called(["mcp_calendar_addEvent", {}], ["find_tools", { query: "weather 天气 events" }])];
    expect(names(foundIn(later)).slice(0, 2)).toEqual(["mcp_ditu_tianqi", "mcp_calendar_addEvent"]);
    expect(new Set(foundIn(later)).size).toBe(foundIn(later).length);
  });

  test("of none that wrong calls name", () => {
    expect(foundIn([called(["find_tools", { query: "" }], ["mcp_none_x", {}])])).toEqual([]);
  });

  const run = (query: string) => find.run({ query, count: 5 }, {} as never);

  test("and a result says what the tools do and take, or which there are", async () => {
    const { text } = await run("create issue");
    expect(text).toContain("mcp_tracker_create_issue: Creates an issue in a project.\nParameters: {");
    expect((await run("bicycle")).text).toMatch(/^No tool has these words\. There are: .*mcp_ditu_lukuang/);
  });
});

describe("where more is found than a request carries", () => {
  const called = (tool: string, args: object, n: number): AssistantMessage => ({
    ...{ role: "assistant", id: `msg_${n}`, at: 0, model: "a/b", stop: "tool-calls", usage: NO_USAGE },
    parts: [{ type: "tool-call", callId: `call_${n}`, tool, args: { ...args } as never }],
  });

  test("it carries the latest finds, in the order of the first find of each", () => {
    const many = Array.from({ length: 60 }, (_, n) => tool(`mcp_pier_t${n}`, "Counts."));
    const { foundIn } = toolsOnDemand(many);
    const messages = many.map(({ name }, n) => called(name, {}, n));
    const again = called("mcp_pier_t3", {}, 60);
    expect(names(foundIn([...messages, again]))).toEqual(["mcp_pier_t3", ...names(many.slice(21))]);
  });

  test("the tools that are said to be in the list are in it, and a result has the whole schema of the others", async () => {
    const large = Array.from({ length: 10 }, (_, n) =>
      tool(`mcp_pier_large${n}`, "Counts lanterns.", "x".repeat(7_900)),
    );
    const { find, foundIn } = toolsOnDemand(large);
    const args = { query: "count lanterns", count: 10 };
    const { text = "" } = await find.run(args, {} as never);
    const inList = text
      .split("\n\n")
      .filter((one) => one.includes("see your list"))
      .map((one) => one.split(":")[0]);
    expect(inList.length).toBeGreaterThan(5);
    expect(names(foundIn([called("find_tools", args, 0)])).toSorted()).toEqual(inList.toSorted());
    expect(text.match(/x{7900}/g)).toHaveLength(10 - inList.length);
  });
});
