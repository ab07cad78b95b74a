import { expect, test } from "vitest";
import { allTools, checkTools, MAX_SCHEMA_CHARS } from "./tools/check-tools.ts";
import { checkServerTools, SERVER_TASKS } from "./tools/server-tasks.ts";
import { TOOL_TASKS, type ToolTask } from "./tools/tool-tasks.ts";

test("every tool takes the right call of each task, and explains the usual wrong ones by field and fix", () => {
  const { tasks, done, wrongCalls, failed } = checkTools();
  expect(failed).toEqual([]);
  expect(tasks).toBeGreaterThanOrEqual(40);
  expect(done).toBe(tasks);
  expect(wrongCalls).toBeGreaterThanOrEqual(tasks);
  expect(new Set(TOOL_TASKS.map(({ id }) => id)).size).toBe(tasks);
});

test("the schemas of all built-in tools fit into what a request may carry of them", () => {
  expect(checkTools().charsOfSchemas).toBeLessThanOrEqual(MAX_SCHEMA_CHARS);
});

test("of 120 tools of servers the one that is looked for is sent, in English and in Chinese, and none before", async () => {
  const { found, serverTools, charsOfAll, charsSent, failed } = await checkServerTools(allTools());
  expect(failed).toEqual([]);
  expect(found).toBe(SERVER_TASKS.length);
  expect(serverTools).toBe(120);
  expect(charsSent).toBeLessThan(charsOfAll / 4);
  expect((await checkServerTools([])).charsSent).toBeLessThan(1_000);
});

test("a right call that is refused, a wrong one that is taken, and a fix that is not said are failures", () => {
  const task = { id: "broken", say: "Read it", tools: ["read"] } satisfies Partial<ToolTask>;
  const failures = (more: Pick<ToolTask, "args" | "wrong">) =>
    checkTools([{ ...task, ...more }]).failed.filter((line) => line.startsWith("broken"));
  expect(failures({ args: { file: "a.md" }, wrong: [] })[0]).toContain("the right call is refused");
  expect(failures({ args: { path: "a.md" }, wrong: [{ args: { path: "b.md" }, says: [] }] })[0]).toContain("is taken");
  expect(failures({ args: { path: "a.md" }, wrong: [{ args: { file: "b.md" }, says: ["Call it url"] }] })[0]).toContain(
    '"Call it url" is not said',
  );
});
