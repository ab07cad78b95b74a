import { expect, test } from "vitest";
import { callLine, resultText } from "../../src/agent/tool-line.ts";

test.each([
  [{ tool: "read", args: { from: 3, path: "notes.md" } }, "🔧 read `notes.md`"],
  [{ tool: "odd", args: { what: "this  and\nthat" } }, "🔧 odd `this and that`"],
  [{ tool: "exec", args: { command: "echo `date`" } }, "🔧 exec `` echo `date` ``"],
  [{ tool: "ls", args: {} }, "🔧 ls"],
])("a tool call as one line: %j", (call, line) => {
  expect(callLine(call)).toBe(line);
});

test("the line of a tool call cuts a long argument between characters", () => {
  const line = callLine({ tool: "write", args: { text: "🦞".repeat(500) } });
  expect(line.length).toBeLessThan(100);
  expect(line.isWellFormed()).toBe(true);
});

test("a tool result is shown from its beginning, in a code block that its own fences do not close", () => {
  const result = { tool: "read", isError: false };
  expect(resultText({ ...result, text: "```js\n1\n```\n" })).toBe("🔧 read:\n\n````\n```js\n1\n```\n````");
  expect(resultText({ ...result, text: "x".repeat(5000) }).length).toBeLessThan(700);
  expect(resultText({ ...result, text: " \n" })).toBe("🔧 read: no output");
  expect(resultText({ ...result, isError: true, text: "no" })).toContain("read failed:");
});
