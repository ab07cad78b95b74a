import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { SubagentReport } from "../../src/session-store/subagent.ts";
import { asked, call, finished, say, script, waitFor } from "./client.ts";
import {
  calling,
  childrenOf,
  evictKey,
  kill,
  noticesOf,
  replaceVerb,
  ring,
  spawning,
  stubByKey,
  textsIn,
  untilSaid,
} from "./family-lab.ts";
import { session } from "./session-lab.ts";

/** Starts a sub-agent. Gives the parent's key and the sub-agent's. */
async function parentAndChild(name: string) {
  const { sessionKey } = session(name);
  const { runId } = await say("Go", name, { sessionKey });
  await finished(runId);
  const [child] = await childrenOf(sessionKey);
  return { parent: sessionKey, child: child.key as string, runId };
}

async function noticesIn(sessionKey: string): Promise<string[]> {
  return (await textsIn(sessionKey)).filter((text) => text.startsWith("[System]"));
}

test("a parent that has left memory is woken by the announcement", async () => {
  await script("gone-parent", [spawning("gone-parent-child"), { text: "ok" }, { text: "It is 4." }]);
  await script("gone-parent-child", [{ text: "4", delayMs: 500 }]);
  const { parent } = await parentAndChild("gone-parent");
  await evictKey(parent);
  await untilSaid(parent, "It is 4.");
  expect(await noticesIn(parent)).toHaveLength(1);
});

test("a sub-agent that dies in the middle goes on, and reports", async () => {
  await script("dead-child", [spawning("dead-child-child"), { text: "ok" }, { text: "It is 5." }]);
  await script("dead-child-child", [{ hang: true }, { text: "5" }]);
  const { parent, child } = await parentAndChild("dead-child");
  await waitFor(async () => (await asked("dead-child-child")).length === 1);
  await kill(child);
  await ring(child);
  await untilSaid(parent, "It is 5.");
});

test("a parent that dies before its sub-agent has heard anything starts it once", async () => {
  let isDown = true;
  const { restore } = await replaceVerb("accept", (key, go) => {
    if (isDown && key.includes(":subagent:")) throw new Error("down");
    return go();
  });
  // The parent may die before or after it has heard "ok".
  const told = { text: "It is 6." };
  await script("dead-parent", [spawning("dead-parent-child"), { text: "ok" }, told, told]);
  await script("dead-parent-child", [{ text: "6", delayMs: 600 }]);
  const { sessionKey } = session("dead-parent");
  await say("Go", "dead-parent", { sessionKey });
  await waitFor(async () => (await childrenOf(sessionKey)).length === 1);
  await kill(sessionKey);
  isDown = false;
  await ring(sessionKey);
  await waitFor(async () => (await childrenOf(sessionKey)).every(({ open }) => !open));
  await untilSaid(sessionKey, "It is 6.");
  restore();
  expect(await childrenOf(sessionKey)).toHaveLength(1);
  expect(await asked("dead-parent-child")).toHaveLength(1);
});

test("a parent that dies once its sub-agent has heard, and before it knows that, starts no other", async () => {
  let hangs = true;
  const { restore } = await replaceVerb("accept", (key, go) => {
    const heard = go();
    return hangs && key.includes(":subagent:") ? new Promise(() => undefined) : heard;
  });
  await script("unaware", [spawning("unaware-child"), { text: "ok" }, { text: "It is 6." }]);
  await script("unaware-child", [{ text: "6", delayMs: 1500 }]);
  const { sessionKey } = session("unaware");
  await say("Go", "unaware", { sessionKey });
  await waitFor(async () => (await asked("unaware-child")).length === 1);
  await kill(sessionKey);
  hangs = false;
  await ring(sessionKey);
  await untilSaid(sessionKey, "It is 6.");
  restore();
  const [child, ...others] = await childrenOf(sessionKey);
  expect(others).toEqual([]);
  expect((await textsIn(child.key)).filter((text) => text === "Count.")).toHaveLength(1);
  expect(await asked("unaware-child")).toHaveLength(1);
});

test("a sub-agent that cannot be reached when it is started is started later, whatever became of the run", async () => {
  let failures = 0;
  const { restore } = await replaceVerb("accept", (key, go) => {
    if (key.includes(":subagent:") && failures++ < 2) throw new Error("down");
    return go();
  });
  await script("late-start", [spawning("late-start-child"), { text: "ok" }, { text: "It is 7." }]);
  await script("late-start-child", [{ text: "7" }]);
  const { parent } = await parentAndChild("late-start");
  expect((await textsIn(parent)).join()).toContain("could not be reached yet");
  expect(await childrenOf(parent)).toMatchObject([{ phase: { status: "starting", attempts: 1 } }]);
  await evictKey(parent);
  await waitFor(async () => {
    await ring(parent);
    return (await childrenOf(parent))[0]?.phase.status !== "starting";
  });
  await untilSaid(parent, "It is 7.");
  restore();
});

test("a sub-agent's announcement is repeated until the parent has stored it, and one that arrives twice is told once", async () => {
  const reports: SubagentReport[] = [];
  let failures = 0;
  const { restore } = await replaceVerb("announce", (_, go, report) => {
    reports.push(report as SubagentReport);
    if (failures++ < 1) throw new Error("down");
    const heard = go();
    // Heard, and the answer is lost.
    if (failures === 2) throw new Error("lost");
    return heard;
  });
  await script("deaf", [spawning("deaf-child"), { text: "ok" }, { text: "It is 8." }]);
  await script("deaf-child", [{ text: "8" }]);
  const { parent, child } = await parentAndChild("deaf");
  await waitFor(async () => failures === 1);
  expect(await noticesOf(child)).toHaveLength(1);
  await evictKey(child);
  await waitFor(async () => {
    await ring(child);
    return (await noticesOf(child)).length === 0;
  });
  expect(reports.length).toBeGreaterThanOrEqual(3);
  await untilSaid(parent, "It is 8.");
  await ((await stubByKey(parent)) as any).announce(reports[0]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  restore();
  expect(await noticesIn(parent)).toHaveLength(1);
  expect(await asked("deaf")).toHaveLength(3);
});

test("a sub-agent that dies while it reports repeats its report", async () => {
  let hangs = true;
  const { restore } = await replaceVerb("announce", (_, go) => (hangs ? new Promise(() => undefined) : go()));
  await script("cut-off", [spawning("cut-off-child"), { text: "ok" }, { text: "It is 9." }]);
  await script("cut-off-child", [{ text: "9" }]);
  const { parent, child } = await parentAndChild("cut-off");
  await waitFor(async () => (await noticesOf(child)).length === 1);
  await kill(child);
  hangs = false;
  await ring(child);
  await untilSaid(parent, "It is 9.");
  restore();
});

test("a sub-agent whose object has lost everything is missed, and its parent told so", async () => {
  await script("lost", [spawning("lost-child"), { text: "ok" }, { text: "It is gone." }]);
  await script("lost-child", [{ hang: true }]);
  const { parent, child } = await parentAndChild("lost");
  await waitFor(async () => (await asked("lost-child")).length === 1);
  await runInDurableObject(await stubByKey(child), (_, { storage }) => storage.deleteAll());
  await kill(child);
  await runInDurableObject(await stubByKey(parent), (_, { storage }) => {
    storage.sql.exec("update subagents set body = json_set(body, '$.phase.dueAt', 1)");
  });
  await evictKey(parent);
  await ring(parent);
  await untilSaid(parent, "It is gone.");
  expect((await noticesIn(parent))[0]).toContain("Its session is gone");
});

test("what a parent that was deleted would have been told is dropped, and the sub-agent comes to rest", async () => {
  await script("orphan", [spawning("orphan-child"), { text: "ok" }]);
  await script("orphan-child", [{ text: "10", delayMs: 400 }]);
  const { parent, child } = await parentAndChild("orphan");
  await runInDurableObject(await stubByKey(parent), (_, { storage }) => storage.deleteAll());
  await kill(parent);
  await waitFor(async () => (await textsIn(child)).includes("10"));
  await waitFor(async () => (await noticesOf(child)).length === 0);
  expect((await call("GET", `/v1/sessions/${parent}/history`)).status).toBe(404);
});

test("a steering message reaches the sub-agent once, however often the parent's run is resumed", async () => {
  let hangs = true;
  let accepted = 0;
  const { restore } = await replaceVerb("accept", (key, go, request) => {
    const isSteer = key.includes(":subagent:") && (request as any).input.text === "More.";
    if (!isSteer) return go();
    accepted++;
    const heard = go();
    // Heard, and nobody knows.
    return hangs ? new Promise(() => undefined) : heard;
  });
  await script("steer-crash", [
    spawning("steer-crash-child"),
    calling("subagents", { action: "steer", target: "1", message: "More." }),
    { text: "ok" },
    { text: "NO_REPLY" },
  ]);
  await script("steer-crash-child", [{ text: "First." }, { text: "Second." }]);
  const { sessionKey } = session("steer-crash");
  await say("Go", "steer-crash", { sessionKey });
  await waitFor(async () => accepted === 1);
  await kill(sessionKey);
  hangs = false;
  await ring(sessionKey);
  await untilSaid(sessionKey, "Second.");
  restore();
  const [{ key }] = (await childrenOf(sessionKey)) as [{ key: string }];
  expect((await textsIn(key)).filter((text) => text === "More.")).toHaveLength(1);
});
