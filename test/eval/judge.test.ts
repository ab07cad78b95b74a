import { expect, test } from "vitest";
import { judge, type Outcome } from "./tools/judge.ts";
import { readTasks, type WrittenTask } from "./tools/task.ts";
import { OWN_TASKS } from "./tools/tasks/index.ts";
import { turnOf } from "./tools/turn-of.ts";

const NOTHING: Outcome = { calls: [], answer: "", sent: [], files: {}, jobIds: {} };

/** The faults of an outcome, for a task that asks for nothing but this. */
function faults(asked: Partial<WrittenTask>, outcome: Partial<Outcome>): string[] {
  const now = { clock: "2026-11-23T20:15:00+01:00", zone: "Europe/Berlin" };
  const [task] = readTasks([{ id: "t", lang: "en", kind: "test", say: "Do it", now, ...asked }]);
  if (task === undefined) throw new Error("There is no task.");
  return judge(task, { ...NOTHING, ...outcome });
}

const call = (tool: string, args: Record<string, unknown> = {}) => ({ tool, args });

test("steps are found in their order, with their arguments, and a missing one is named", () => {
  const steps = [{ one: ["read"], args: { path: "todo.md" } }, { optional: ["ls"] }, { one: ["write", "edit"] }];
  const calls = [call("read", { path: "./todo.md" }), call("grep"), call("edit", { path: "todo.md", edits: [] })];
  expect(faults({ steps }, { calls })).toEqual([]);
  expect(faults({ steps }, { calls: calls.toReversed() })).toHaveLength(1);
  expect(faults({ steps }, { calls: calls.slice(1) })[0]).toContain("read");
  expect(faults({ steps }, {})).toHaveLength(2);
});

test("steps in any order need each of their tools, and each argument of one of them", () => {
  const steps = [{ any: [["write"], ["cron"]], args: { path: "a.md", "schedule.at": "2026-11-29T19:00:00+01:00" } }];
  const write = call("write", { path: "a.md", content: "x" });
  const cron = call("cron", { schedule: { kind: "at", at: "2026-11-29T18:00:00Z" } });
  expect(faults({ steps }, { calls: [cron, write] })).toEqual([]);
  expect(faults({ steps }, { calls: [write] })).toHaveLength(1);
  expect(
    faults({ steps }, { calls: [write, call("cron", { schedule: { at: "2026-11-29T20:00:00Z" } })] }),
  ).toHaveLength(1);
  expect(faults({ steps }, { calls: [write, call("cron", {})] })[0]).toContain("schedule.at");
});

test("a time is the same as an instant, in the user's zone, and as a span from now", () => {
  const steps = [{ one: ["cron"], args: { "schedule.at": "2026-11-23T20:17:00+01:00" } }];
  const at = (text: string) => faults({ steps }, { calls: [call("cron", { schedule: { at: text } })] });
  for (const text of ["2026-11-23T19:17:00Z", "2026-11-23T20:17", "2m"]) expect(at(text)).toEqual([]);
  for (const text of ["2026-11-23T20:17:00Z", "5m", "soon"]) expect(at(text)).toHaveLength(1);
});

test("edits, patches and messages are read by what they do, and a server's tool by its own name", () => {
  const one = (tool: string, args: Record<string, string>) => ({ steps: [{ one: [tool], args }] });
  const edit = call("edit", { path: "a.md", edits: [{ oldText: "", newText: "buy bread" }] });
  expect(faults(one("edit", { path: "a.md", content: "/bread/" }), { calls: [edit] })).toEqual([]);
  const patch = call("apply_patch", { input: "*** Begin Patch\n*** Add File: a.md\n+bread\n*** End Patch" });
  expect(faults(one("apply_patch", { path: "a.md", content: "/bread/" }), { calls: [patch] })).toEqual([]);
  const message = call("message", { to: "telegram:42", text: "ten" });
  expect(faults(one("message", { channel: "telegram", to: "42" }), { calls: [message] })).toEqual([]);
  expect(faults(one("message", { channel: "telegram", to: "43" }), { calls: [message] })).toHaveLength(1);
  const event = call("mcp_calendar7_list_events", { date: "2026-11-26" });
  expect(faults(one("calendar__list_events", { date: "2026-11-26" }), { calls: [event] })).toEqual([]);
  expect(faults({ forbid: ["calendar__list_events"] }, { calls: [event] })).toHaveLength(1);
});

test("a step is taken by a call that succeeded, unless the task lets its tool fail", () => {
  const steps = [{ one: ["message"], args: { text: "/open/" } }];
  const refused = { ...call("message", { to: "telegram:42", text: "It is open" }), isError: true };
  expect(faults({ steps }, { calls: [refused] })[0]).toContain("message");
  expect(faults({ steps }, { calls: [refused, { ...refused, isError: false }] })).toEqual([]);
  expect(faults({ steps, mayFail: ["message"] }, { calls: [refused] })).toEqual([]);
  expect(faults({ forbid: ["message"] }, { calls: [refused] })).toHaveLength(1);
  const page = { steps: [{ one: ["web_fetch"] }], world: { web_fetch: { "https://a.example/": { error: 404 } } } };
  expect(faults(page, { calls: [{ ...call("web_fetch"), isError: true }] })).toEqual([]);
});

test("a tool of another server, or whose name ends alike, is another tool", () => {
  const steps = [{ one: ["todo__list"] }];
  expect(faults({ steps }, { calls: [call("mcp_todo31_list")] })).toEqual([]);
  expect(faults({ steps }, { calls: [call("mcp_shop31_list")] })).toHaveLength(1);
  expect(faults({ steps }, { calls: [call("mcp_todo31_shopping_list")] })).toHaveLength(1);
});

test("an argument that is not there matches no pattern, and a file that is not there has lost nothing by an edit", () => {
  const steps = [{ one: ["web_fetch"], args: { url: "/.*/" } }];
  expect(faults({ steps }, { calls: [call("web_fetch")] })).toHaveLength(1);
  const kept = { fileLacks: { "a.md": "two" } };
  expect(faults(kept, { files: {} })).toEqual(["a.md is not there."]);
  expect(faults({ filesGone: ["a.md"] }, { files: {} })).toEqual([]);
  expect(faults({ filesGone: ["a.md"] }, { files: { "a.md": "" } })).toEqual(["a.md is still there."]);
});

test("what must not happen, and what files, messages and answers have to be, is checked", () => {
  expect(faults({ forbid: ["exec"] }, { calls: [call("exec")] })).toEqual(["exec was called."]);
  const forbidArgs = { cron: { action: "remove", jobId: "job_1" } };
  const jobIds = { job_1: "job_abc" };
  const removed = (jobId: string) => ({ jobIds, calls: [call("cron", { action: "remove", jobId })] });
  expect(faults({ forbidArgs }, removed("job_abc"))).toHaveLength(1);
  expect(faults({ forbidArgs }, removed("job_xyz"))).toEqual([]);
  const files = { "a.md": "one\ntwo\n" };
  expect(faults({ fileKeeps: { "a.md": ["one", "three"] } }, { files })).toEqual(["a.md has not three."]);
  expect(faults({ fileLacks: { "a.md": "two" } }, { files })).toHaveLength(1);
  expect(faults({ filesAfter: { "a.md": "^one$", "b.md": "x" } }, { files })).toHaveLength(2);
  expect(faults({ messageLacks: ["5521"] }, { sent: ["It is 5521"] })).toHaveLength(1);
  expect(faults({ answerHas: ["tea"], answerLacks: ["coffee"] }, { answer: "Coffee" })).toHaveLength(2);
});

test("there are enough requests, in both languages, and the scripted model knows what to do in each", () => {
  expect(OWN_TASKS.length).toBeGreaterThanOrEqual(40);
  expect(OWN_TASKS.filter(({ lang }) => lang === "zh").length).toBeGreaterThanOrEqual(15);
  expect(new Set(OWN_TASKS.map(({ id }) => id)).size).toBe(OWN_TASKS.length);
  for (const task of OWN_TASKS) expect(() => turnOf(task, { jobIds: {}, servers: {} }), task.id).not.toThrow();
});

test("a task that is written wrongly is refused with what is wrong in it", () => {
  expect(() => readTasks([{ id: "t", lang: "fr" }])).toThrow(/lang/);
});
