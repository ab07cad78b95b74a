import { expect, test } from "vitest";
import { at, heard, serve } from "../security/outside-lab.ts";
import { askModel } from "./tools/ask-model.ts";
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

test("a model is asked with the schemas of all tools, and scored by its first call", async () => {
  const call = { index: 0, id: "call_1", type: "function", function: { name: "web_search", arguments: '{"q":"x"}' } };
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const body = `${chunk({ role: "assistant", tool_calls: [call] }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
  const headers = { "Content-Type": "text/event-stream" };
  await serve("eval-tools", { "v1/chat/completions": { headers, body } });
  const address = at("eval-tools", "v1");
  const report = await askModel("custom/m", "-zh", (name) => (name === "OPENAI_BASE_URL" ? address : undefined));
  const chinese = TOOL_TASKS.filter(({ id }) => id.includes("-zh"));
  expect(report).toMatchObject({ tasks: chinese.length, picked: 1, done: 0 });
  expect(report.failed).toContain('search-weather-zh: web_search with {"q":"x"}');
  expect(report.failed).toContain("recall-zh: web_search instead of memory_search");
  const [request] = await heard("eval-tools");
  const tools = JSON.parse(request?.body ?? "").tools.map((tool: any) => tool.function.name);
  expect(tools).toContain("web_search");
  expect(tools).toContain("update_plan");
});
