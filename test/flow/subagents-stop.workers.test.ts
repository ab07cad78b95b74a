import { expect, test } from "vitest";
import { asked, call, finished, say, script, waitFor } from "./client.ts";
import { calling, childrenOf, kill, noticesOf, replaceVerb, ring, spawning, textsIn, untilSaid } from "./family-lab.ts";
import { configure, session } from "./session-lab.ts";

/** A parent at work on its own model call, whose sub-agent is at work, too. */
async function bothAtWork(name: string, more: object = {}) {
  const { sessionKey } = session(name);
  await script(name, [spawning(`${name}-child`), { hang: true }, { text: "after" }]);
  await script(`${name}-child`, [{ hang: true }]);
  const { runId } = await say("Go", name, { sessionKey, ...more });
  await waitFor(async () => (await asked(name)).length === 2 && (await asked(`${name}-child`)).length === 1);
  const [child] = await childrenOf(sessionKey);
  return { parent: sessionKey, child: child.key as string, childRunId: child.childRunId as string, runId };
}

async function statusOf(runId: string) {
  return (await (await call("GET", `/v1/runs/${runId}`)).json<{ status: string }>()).status;
}

async function untilStopped(runId: string) {
  await waitFor(async () => (await statusOf(runId)) === "aborted");
}

/** The sub-agent's end was wanted: nobody is told of it. */
async function expectSilence(parent: string, child: string) {
  await waitFor(async () => (await childrenOf(parent)).every(({ open }) => !open));
  await waitFor(async () => (await noticesOf(child)).length === 0);
  expect((await textsIn(parent)).filter((text) => text.startsWith("[System]"))).toEqual([]);
}

test("stopping a run stops its sub-agents, and their end is not announced", async () => {
  const { parent, child, childRunId, runId } = await bothAtWork("abort");
  await call("POST", `/v1/runs/${runId}/abort`);
  await untilStopped(childRunId);
  await expectSilence(parent, child);
  expect(await childrenOf(parent)).toMatchObject([{ phase: { status: "ended", outcome: "stopped" } }]);
});

test("stopping a run that has ended stops the sub-agents that it left running", async () => {
  const { sessionKey } = session("abort-later");
  await script("abort-later", [spawning("abort-later-child"), { text: "Started." }]);
  await script("abort-later-child", [{ hang: true }]);
  const { runId } = await say("Go", "abort-later", { sessionKey });
  await finished(runId);
  const [child] = await childrenOf(sessionKey);
  await call("POST", `/v1/runs/${runId}/abort`);
  await untilStopped(child.childRunId);
  await expectSilence(sessionKey, child.key);
});

test("/stop stops sub-agents two levels deep, also when the session itself has no active run", async () => {
  const { sessionKey } = session("stop-deep");
  await script("stop-deep", [spawning("stop-deep-1"), { text: "Started." }]);
  await script("stop-deep-1", [spawning("stop-deep-2"), { text: "I wait." }]);
  await script("stop-deep-2", [{ hang: true }]);
  await finished((await say("Go", "stop-deep", { sessionKey })).runId);
  await waitFor(async () => (await asked("stop-deep-2")).length === 1);
  const [child] = await childrenOf(sessionKey);
  await waitFor(async () => (await textsIn(child.key)).includes("I wait."));
  const [grandchild] = await childrenOf(child.key);
  const stopped = await finished((await say("/stop", "stop-deep", { sessionKey })).runId);
  expect(stopped).toMatchObject({ reply: "Stopped 1 sub-agent." });
  await untilStopped(grandchild.childRunId);
  await expectSilence(sessionKey, child.key);
  expect((await childrenOf(child.key))[0]).toMatchObject({ open: false, phase: { outcome: "stopped" } });
});

test("a sub-agent whose own sub-agents are stopped by command reports what it has", async () => {
  const { sessionKey } = session("stop-below");
  await script("stop-below", [spawning("stop-below-1"), { text: "Started." }, { text: "Heard." }]);
  await script("stop-below-1", [spawning("stop-below-2"), { text: "Half of it." }]);
  await script("stop-below-2", [{ hang: true }]);
  await finished((await say("Go", "stop-below", { sessionKey })).runId);
  const [child] = await childrenOf(sessionKey);
  await waitFor(async () => (await textsIn(child.key)).includes("Half of it."));
  await finished((await say("/subagents stop all", "stop-below", { sessionKey: child.key })).runId);
  await untilSaid(sessionKey, "Heard.");
  const notice = (await textsIn(sessionKey)).find((text) => text.startsWith("[System]"));
  expect(notice).toContain("was stopped");
  expect(notice).toContain("Half of it.");
});

test("a sub-agent that was given a second task can be stopped after its first result", async () => {
  const { sessionKey } = session("stop-more");
  await script("stop-more", [
    spawning("stop-more-child"),
    calling("subagents", { action: "steer", target: "1", message: "And this." }),
    { text: "Started." },
    { text: "NO_REPLY" },
  ]);
  await script("stop-more-child", [{ text: "First.", delayMs: 1000 }, { hang: true }]);
  await finished((await say("Go", "stop-more", { sessionKey })).runId);
  await untilSaid(sessionKey, "First.");
  await waitFor(async () => (await asked("stop-more-child")).length === 2);
  const [child] = await childrenOf(sessionKey);
  expect(child).toMatchObject({ open: true, phase: { status: "working" } });
  await say("/stop", "stop-more", { sessionKey });
  await untilStopped(child.childRunId);
});

test("a run whose time runs out takes its sub-agents with it", async () => {
  const { parent, child, childRunId, runId } = await bothAtWork("timeout", { timeoutSeconds: 2 });
  expect(await finished(runId)).toMatchObject({ status: "timeout" });
  await untilStopped(childRunId);
  await expectSilence(parent, child);
});

test("a message that interrupts a run stops what that run has started", async () => {
  const { sessionKey } = session("interrupt");
  await finished((await say("/queue interrupt", "interrupt", { sessionKey })).runId);
  const { childRunId } = await bothAtWork("interrupt");
  const { runId } = await say("Something else", "interrupt", { sessionKey });
  await untilStopped(childRunId);
  expect(await finished(runId)).toMatchObject({ reply: "after" });
});

test("a sub-agent that is stopped in its own session tells its parent", async () => {
  const { sessionKey } = session("by-others");
  await script("by-others", [spawning("by-others-child"), { text: "Started." }, { text: "It was stopped." }]);
  await script("by-others-child", [{ hang: true }]);
  await finished((await say("Go", "by-others", { sessionKey })).runId);
  const [child] = await childrenOf(sessionKey);
  await waitFor(async () => (await asked("by-others-child")).length === 1);
  await call("POST", `/v1/runs/${child.childRunId}/abort`);
  await untilSaid(sessionKey, "It was stopped.");
  expect((await textsIn(sessionKey)).join()).toContain('The sub-agent "by-others-child" was stopped');
});

test("an agent stops its sub-agents by name or all at once, and the list says how they stand", async () => {
  const { sessionKey } = session("tool-stop");
  await script("tool-stop", [
    { calls: ["a", "b"].flatMap((label) => spawning("tool-stop-child", { label }).calls ?? []) },
    calling("subagents", { action: "stop", target: "a" }),
    calling("subagents", { action: "stop", target: "a" }),
    calling("subagents", { action: "stop", target: "all" }),
    calling("subagents", { action: "stop", target: "c" }),
    { text: "ok" },
    calling("subagents", {}),
    { text: "ok" },
  ]);
  await script("tool-stop-child", [{ hang: true }]);
  await finished((await say("Go", "tool-stop", { sessionKey })).runId);
  await waitFor(async () => (await childrenOf(sessionKey)).every(({ open }) => !open));
  await finished((await say("List them", "tool-stop", { sessionKey })).runId);
  const results = (await textsIn(sessionKey)).filter((text) => /stopped|ended|There is no sub-agent/.test(text));
  expect(results[0]).toMatch(/"stopped":\[\{"label":"a"/);
  expect(results[1]).toContain("'a' has ended already");
  expect(results[2]).toMatch(/"stopped":\[\{"label":"b"/);
  expect(results[3]).toContain("There is no sub-agent 'c'. There are:");
  expect(JSON.parse(results[4]!).subagents).toMatchObject([
    { number: 1, status: "stopped" },
    { number: 2, status: "stopped" },
  ]);
});

test("a sub-agent that does not answer is asked to stop until it has, also after the death of its parent", async () => {
  const { parent, child, childRunId, runId } = await bothAtWork("unreachable");
  let asks = 0;
  let isDown = true;
  const { restore } = await replaceVerb("abortAll", (_, go) => {
    asks++;
    if (isDown) throw new Error("down");
    return go();
  });
  await call("POST", `/v1/runs/${runId}/abort`);
  await waitFor(async () => asks === 1);
  expect(await childrenOf(parent)).toMatchObject([{ open: true, phase: { status: "stopping" } }]);
  await kill(parent);
  isDown = false;
  await waitFor(async () => {
    await ring(parent);
    return (await statusOf(childRunId)) === "aborted";
  });
  restore();
  await expectSilence(parent, child);
});

test("a session that is deleted stops its sub-agents, and takes their sessions with it", async () => {
  const { parent, child, childRunId } = await bothAtWork("delete-parent");
  expect((await call("DELETE", `/v1/sessions/${parent}`)).status).toBe(204);
  expect(await statusOf(childRunId)).toBeUndefined();
  expect((await call("GET", `/v1/sessions/${encodeURIComponent(child)}/history`)).status).toBe(404);
});

test("a session whose sub-agents cannot be reached is deleted once they can", async () => {
  const { parent, childRunId } = await bothAtWork("delete-late");
  let isDown = true;
  const { restore } = await replaceVerb("abortAll", (_, go) => {
    if (isDown) throw new Error("down");
    return go();
  });
  expect((await call("DELETE", `/v1/sessions/${parent}`)).status).toBe(503);
  isDown = false;
  await waitFor(async () => {
    await ring(parent);
    return (await call("GET", `/v1/runs/${childRunId}`)).status === 404;
  });
  restore();
  await waitFor(async () => (await call("DELETE", `/v1/sessions/${parent}`)).status === 404);
});

test("a sub-agent whose session is deleted tells its parent that it was stopped", async () => {
  const { sessionKey } = session("delete-child");
  await script("delete-child", [spawning("delete-child-child"), { text: "Started." }, { text: "It is no more." }]);
  await script("delete-child-child", [{ hang: true }]);
  await finished((await say("Go", "delete-child", { sessionKey })).runId);
  const [child] = await childrenOf(sessionKey);
  await waitFor(async () => (await asked("delete-child-child")).length === 1);
  expect((await call("DELETE", `/v1/sessions/${encodeURIComponent(child.key)}`)).status).toBe(204);
  await untilSaid(sessionKey, "It is no more.");
});

test("an announcement in the queue is not dropped for newer messages", async () => {
  const { sessionKey } = session("kept");
  await configure("kept", (config) => {
    config.messages = { queue: { mode: "interrupt" } };
    return config;
  });
  await script("kept", [
    spawning("kept-child"),
    { text: "Started." },
    { hang: true },
    { text: "One." },
    { text: "Two." },
  ]);
  await script("kept-child", [{ text: "11", delayMs: 300 }]);
  await finished((await say("Go", "kept", { sessionKey })).runId);
  await say("Work", "kept", { sessionKey });
  await waitFor(async () => (await asked("kept")).length === 3);
  await waitFor(async () => (await childrenOf(sessionKey))[0]?.open === false);
  await say("No, this", "kept", { sessionKey });
  await untilSaid(sessionKey, "Two.");
  expect((await textsIn(sessionKey)).filter((text) => text.startsWith("[System]"))).toHaveLength(1);
});
