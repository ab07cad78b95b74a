import { expect, test } from "vitest";
import { asked, call, finished, historyOf, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** Says something to the session's own model and waits for the end. */
async function write(name: string, message: string): Promise<any> {
  const answer = await call("POST", "/v1/agent", { message, ...session(name) });
  return finished((await answer.json<{ runId: string }>()).runId);
}

/** The results of all calls so far. */
async function results(name: string): Promise<string[]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.flatMap(({ role, text }) => (role === "tool" ? [String(text)] : []));
}

test("the agent is told the date and time of its user, and how the session stands", async () => {
  await configure("clock", (config) => ({
    ...config,
    agents: {
      ...config.agents,
      defaults: { ...config.agents.defaults, userTimezone: "Asia/Shanghai", model: "fake/clock" },
    },
  }));
  await script("clock", [{ calls: [{ name: "session_status", args: {} }] }, { text: "It is late." }]);
  expect(await write("clock", "What time is it?")).toMatchObject({ status: "ok" });
  const [card] = await results("clock");
  expect(card).toMatch(/^Time: \w+day,? \d+ \w+ 20\d\d at \d\d:\d\d \(Asia\/Shanghai\)\nUTC: 20\d\d-\d\d-\d\dT.*Z\n/);
  expect(card).toContain("Session `agent:main:hook:clock`: running for");
  expect(card).toContain("Model: `fake/clock`");
  expect(card).toContain("compacted never");
  expect(card).toContain("This conversation, since");
});

test("the agent sets the session's model for the turns that follow, and sets it back", async () => {
  await script("default", [
    { calls: [{ name: "session_status", args: { model: "fake/other-model" } }] },
    { text: "Set." },
    { text: "The usual one." },
  ]);
  await script("other-model", [{ calls: [{ name: "session_status", args: { model: "default" } }] }, { text: "Back." }]);
  expect(await write("set", "Use the other one")).toMatchObject({ model: "fake/default" });
  expect(await write("set", "Who are you?")).toMatchObject({ model: "fake/other-model", reply: "Back." });
  expect(await write("set", "And now?")).toMatchObject({ model: "fake/default", reply: "The usual one." });
  const [first, second] = await results("set");
  expect(first).toMatch(/^From the next turn on fake\/other-model answers\./);
  expect(second).toMatch(/^From the next turn on fake\/default answers\./);
});

test("a model that is not there and a session that is another's are refused in words that the agent can act on", async () => {
  await script("default", [
    { calls: [{ name: "session_status", args: { model: "nobody/here" } }] },
    { calls: [{ name: "session_status", args: { sessionKey: "agent:main:main" } }] },
    { text: "I see." },
  ]);
  expect(await write("refused", "x")).toMatchObject({ status: "ok" });
  const [model, other] = await results("refused");
  expect(model).toContain("'nobody' is not configured");
  expect(other).toBe("Only this session can be looked at: agent:main:hook:refused.");
});

test("`update_plan` is there unless the configuration says no", async () => {
  await script("default", [
    { calls: [{ name: "update_plan", args: { plan: [{ step: "Look", status: "in_progress" }] } }] },
    { text: "Planned." },
    { text: "No plan." },
  ]);
  await write("plan", "x");
  expect(await results("plan")).toEqual(["Plan updated."]);
  await configure("plan-less", (config) => ({ ...config, tools: { experimental: { planTool: false } } }));
  await write("plan-less", "x");
  const names = ({ body }: { body: any }) => body.tools.map((tool: any) => tool.function.name);
  const requests = await asked("default");
  expect(names(requests[0]!)).toContain("update_plan");
  expect(names(requests[2]!)).not.toContain("update_plan");
});
