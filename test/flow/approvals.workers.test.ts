import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { launchTool } from "./channel-lab.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";

const session = (name: string) => ({ sessionKey: `agent:main:hook:${name}` });
const done: string[] = [];

const launch = launchTool(done);

async function stubOf(name: string) {
  return env.SESSIONS.getByName(await objectNameOf(session(name).sessionKey));
}

async function arm(name: string) {
  await runInDurableObject(await stubOf(name), (instance) => Object.assign(instance, { extraTools: [launch] }));
}

async function pausedRun(name: string, what: string) {
  await arm(name);
  await script(name, [{ calls: [{ name: "launch", args: { what } }] }, { text: "Over." }]);
  const { runId } = await say("Launch it", name, session(name));
  const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await waitFor(async () => (await view()).status === "waiting_approval");
  return { runId, approval: (await view()).approvals[0] };
}

test("a tool call that needs approval pauses the run, and runs when it is allowed", async () => {
  const { runId, approval } = await pausedRun("allow", "allow-1");
  expect(approval).toMatchObject({ tool: "launch", args: { what: "allow-1" }, question: "Launch allow-1?" });
  expect(done).not.toContain("allow-1");
  const listed = async () => (await (await call("GET", "/v1/approvals")).json<{ approvals: any[] }>()).approvals;
  await waitFor(async () => (await listed()).some((row) => row.id === approval.id));
  expect((await call("POST", `/v1/approvals/${approval.id}`, { decision: "allow-once" })).status).toBe(200);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Over." });
  expect(done.filter((what) => what === "allow-1")).toHaveLength(1);
  await waitFor(async () => !(await listed()).some((row) => row.id === approval.id));
  expect((await call("POST", `/v1/approvals/${approval.id}`, { decision: "deny" })).status).toBe(404);
  const events = (await eventsOf(runId)).flatMap((event) => (event.type === "approval" ? [event.phase] : []));
  expect(events).toEqual(["requested", "decided"]);
});

test("a call that an owner has allowed runs although a message came before the approval", async () => {
  const { runId, approval } = await pausedRun("message-first", "message-first-1");
  await say("And hurry", "message-first", session("message-first"));
  await call("POST", `/v1/approvals/${approval.id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Over." });
  expect(done.filter((what) => what === "message-first-1")).toHaveLength(1);
});

test("a denied tool call does not run, and its result tells the model so", async () => {
  const { runId, approval } = await pausedRun("deny", "deny-1");
  await call("POST", `/v1/approvals/${approval.id}`, { decision: "deny" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect(done).not.toContain("deny-1");
  const { messages } = await historyOf(session("deny").sessionKey);
  expect(messages.find((message) => message.role === "tool")).toMatchObject({
    text: expect.stringContaining("denied"),
  });
});

test("/approve answers a waiting approval, and after allow-always the same call is not asked about again", async () => {
  const { runId } = await pausedRun("always", "always-1");
  const said = await finished((await say("/approve allow-always", "always", session("always"))).runId);
  expect(said).toMatchObject({ reply: "Allowed: `launch`." });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  await script("always", [{ calls: [{ name: "launch", args: { what: "always-2" } }] }, { text: "Again." }]);
  expect(await finished((await say("Again", "always", session("always"))).runId)).toMatchObject({ status: "ok" });
  expect(done).toContain("always-2");
});

test("a run that waits for approval survives the death of its object, sets no alarm after a while, and goes on when it is answered", async () => {
  const { runId, approval } = await pausedRun("durable", "durable-1");
  await new Promise((resolve) => setTimeout(resolve, 100));
  await runDurableObjectAlarm(await stubOf("durable"));
  const killed = runInDurableObject(await stubOf("durable"), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow();
  await arm("durable");
  expect(await (await call("GET", `/v1/runs/${runId}`)).json()).toMatchObject({ status: "waiting_approval" });
  for (let rings = 0; rings < 3; rings++) {
    await runDurableObjectAlarm(await stubOf("durable"));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(await runInDurableObject(await stubOf("durable"), (_, state) => state.storage.getAlarm())).toBeNull();
  await call("POST", `/v1/approvals/${approval.id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect(done).toContain("durable-1");
});

test("a run's clock stands still while it waits for a person", async () => {
  await arm("clock");
  await script("clock", [{ calls: [{ name: "launch", args: { what: "clock-1" } }] }, { text: "In time." }]);
  const { runId } = await say("x", "clock", { ...session("clock"), timeoutSeconds: 1 });
  const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await waitFor(async () => (await view()).status === "waiting_approval");
  await new Promise((resolve) => setTimeout(resolve, 1300));
  await call("POST", `/v1/approvals/${(await view()).approvals[0].id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "In time." });
});

test("a paused run can be stopped, and what waits behind it then runs", async () => {
  const { runId } = await pausedRun("stop-paused", "stop-paused-1");
  const next = await say("next", "stop-paused", session("stop-paused"));
  expect(await (await call("GET", `/v1/runs/${next.runId}`)).json()).toMatchObject({ status: "queued" });
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  expect(await finished(next.runId)).toMatchObject({ status: "ok" });
  expect(await asked("stop-paused")).toHaveLength(2);
});

test("an approval with an unknown id or an invalid decision is refused, and the error names it", async () => {
  const wrong = await call("POST", `/v1/approvals/apr_${"0".repeat(52)}`, { decision: "maybe" });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain("decision");
  expect((await call("POST", "/v1/approvals/nonsense", { decision: "deny" })).status).toBe(404);
});

test("a new conversation does not wait for an approval of the previous one", async () => {
  const { runId, approval } = await pausedRun("anew", "anew-1");
  const begun = await say("/new", "anew", session("anew"));
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  expect(await finished(begun.runId)).toMatchObject({ status: "ok", reply: "Over." });
  expect(done).not.toContain("anew-1");
  const listed = async () => (await (await call("GET", "/v1/approvals")).json<{ approvals: any[] }>()).approvals;
  await waitFor(async () => !(await listed()).some((row) => row.id === approval.id));
  const [, greeting] = await asked("anew");
  expect(greeting!.body.messages.map(({ role }: any) => role)).toEqual(["system", "user"]);
});
