import { expect, test } from "vitest";
import { asked, call, env, finished, historyOf, say, script, waitFor } from "./client.ts";
import { putOutside } from "./outside.ts";
import { configure, kill, session, sql } from "./session-lab.ts";

const ROOT = "agents/main/workspace/";

/** The calls that were launched and have no result yet. */
async function launchedIn(name: string): Promise<string[]> {
  const rows = await sql<{ state: string }>(name, "SELECT state FROM runs");
  return rows.flatMap(({ state }) => JSON.parse(state).launched ?? []);
}

async function resultsOf(sessionKey: string): Promise<any[]> {
  const { messages } = await historyOf(sessionKey);
  return messages.filter((message: any) => message.role === "tool");
}

test("an agent runs a script, and its files are there for the next tool, the next turn and the store", async () => {
  const { sessionKey } = session("exec-files");
  await putOutside(`${ROOT}exec/prices.csv`, "apple,3\npear,4\n");
  await script("exec-files", [
    {
      calls: [
        { name: "read", args: { path: "exec/prices.csv" } },
        {
          name: "exec",
          args: { command: "cd exec && awk -F, '{ n += $2 } END { print n }' prices.csv | tee sum.txt; rm prices.csv" },
        },
        { name: "edit", args: { path: "exec/sum.txt", edits: [{ oldText: "7", newText: "seven" }] } },
        { name: "write", args: { path: "exec/sum.txt", content: "sum: seven\n" } },
      ],
    },
    { text: "Seven." },
    { calls: [{ name: "exec", args: { command: "cat exec/sum.txt; ls exec" } }] },
    { text: "Still." },
  ]);
  expect(await finished((await say("Sum up", "exec-files", { sessionKey })).runId)).toMatchObject({ status: "ok" });
  expect(await finished((await say("Again", "exec-files", { sessionKey })).runId)).toMatchObject({ status: "ok" });
  const texts = (await resultsOf(sessionKey)).map(({ text }) => text);
  expect(texts[1]).toBe("7\n\nWrote: exec/sum.txt\nRemoved: exec/prices.csv");
  expect(texts[2]).toContain("1 passage replaced");
  expect(texts[3]).toContain("Wrote exec/sum.txt");
  expect(texts[4]).toBe("sum: seven\nsum.txt");
  expect(await (await env.FILES.get(`${ROOT}exec/sum.txt`))?.text()).toBe("sum: seven\n");
});

test("a script that fails is a result, and one with a bad variable is an error and is not run", async () => {
  const { sessionKey } = session("exec-fails");
  await script("exec-fails", [
    {
      calls: [
        { name: "exec", args: { command: "echo out; echo bad >&2; exit 3" } },
        { name: "exec", args: { command: "touch exec-ran.txt", env: { PATH: "/x" } } },
        { name: "exec", args: { command: "echo $A $B", env: { A: "1", B: "2" }, workdir: "nowhere" } },
        { name: "exec", args: { command: "sleep 5", timeout: 1 } },
      ],
    },
    { text: "ok" },
  ]);
  await finished((await say("x", "exec-fails", { sessionKey })).runId);
  const results = await resultsOf(sessionKey);
  expect(results[0]).toMatchObject({ text: "out\nstderr:\nbad\n\nExit code 3." });
  expect(results[1].text).toContain("env cannot set PATH");
  expect(results[2].text).toContain("No such file or directory");
  expect(results[3].text).toContain("stopped after 1 s");
  expect(await env.FILES.head(`${ROOT}exec-ran.txt`)).toBeNull();
});

test("a script that /stop aborts writes nothing", async () => {
  const { sessionKey } = session("exec-stop");
  await script("exec-stop", [{ calls: [{ name: "exec", args: { command: "echo x > exec-stopped.txt; sleep 30" } }] }]);
  const { runId } = await say("x", "exec-stop", { sessionKey });
  await waitFor(async () => (await launchedIn("exec-stop")).length === 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  expect(await env.FILES.head(`${ROOT}exec-stopped.txt`)).toBeNull();
});

test("after a crash in the middle of a script it is not run again, and the model is told so", async () => {
  const { sessionKey } = session("exec-crash");
  const command = "echo once >> exec-crash.txt; sleep 3";
  await script("exec-crash", [{ calls: [{ name: "exec", args: { command } }] }, { text: "I see." }]);
  const { runId } = await say("x", "exec-crash", { sessionKey });
  await waitFor(async () => (await launchedIn("exec-crash")).length === 1);
  await kill("exec-crash");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "I see." });
  const [result] = await resultsOf(sessionKey);
  expect(result.text).toMatch(/unknown|interrupted/i);
  expect(await env.FILES.head(`${ROOT}exec-crash.txt`)).toBeNull();
});

test("exec is absent if denied, for non-owners, and with an empty allowlist", async () => {
  const toolsOf = async (name: string, exec: object, more: object = {}) => {
    await configure(name, (config) => ({ ...config, tools: { ...config.tools, exec } }));
    await script(name, [{ text: "ok" }]);
    await finished((await say("x", name, { ...session(name), ...more })).runId);
    const { body } = (await asked(name)).at(-1)!;
    return (body.tools ?? []).map((tool: any) => tool.function.name);
  };
  expect(await toolsOf("exec-full", {})).toContain("exec");
  expect(await toolsOf("exec-deny", { security: "deny" })).not.toContain("exec");
  expect(await toolsOf("exec-allowlist", { security: "allowlist" })).not.toContain("exec");
});

test("a script that needs approval waits for the owner", async () => {
  const { sessionKey } = session("exec-ask");
  await configure("exec-ask", (config) => ({ ...config, tools: { ...config.tools, exec: { ask: "always" } } }));
  await script("exec-ask", [{ calls: [{ name: "exec", args: { command: "echo hello" } }] }, { text: "ok" }]);
  const { runId } = await say("x", "exec-ask", { sessionKey });
  const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await waitFor(async () => (await view()).status === "waiting_approval");
  const [approval] = (await view()).approvals;
  expect(approval).toMatchObject({ tool: "exec", question: "Run this?\necho hello" });
  await call("POST", `/v1/approvals/${approval.id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect((await resultsOf(sessionKey))[0].text).toBe("hello");
});
