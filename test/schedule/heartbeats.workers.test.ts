import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { addWakeText } from "../../src/schedule/schedule-store.ts";
import { hear, sentTo } from "../flow/chats.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "../flow/client.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { Clock, patchConfig, runOf, withAgents } from "./clock-lab.ts";

const START = Date.UTC(2026, 10, 23, 12, 0);
const MINUTE = 60_000;

/** An agent of its own that beats every 30 minutes and answers with the scenario of its name. */
async function beating(id: string, heartbeat: object): Promise<Clock> {
  await withAgents({ id, heartbeat: { every: "30m", model: `fake/${id}`, ...heartbeat } });
  await openWorkspace({ agentId: id }).write("HEARTBEAT.md", "- Look at the mail\n", { kind: "any" });
  return new Clock();
}

const chat = (id: string) => ({
  channel: "telegram",
  accountId: "default",
  kind: "direct" as const,
  conversationId: id,
});

test("an alert reaches the owner once, HEARTBEAT_OK nobody, and the same alert not again within a day", async () => {
  const clock = await beating("beat-alert", { target: "telegram", to: "77101" });
  await script("beat-alert", [
    { text: "HEARTBEAT_OK" },
    { text: "Rent is due." },
    { text: "Rent is due." },
    { text: "Bus leaves." },
  ]);
  await clock.tickAt(START);
  expect((await clock.row("heartbeat:beat-alert")).due_at).toBeGreaterThan(START);
  for (let beat = 0; beat < 4; beat++) {
    await clock.tickNext("heartbeat:beat-alert");
    await finished(await runOf(clock, "heartbeat:beat-alert"));
  }
  await waitFor(async () => (await sentTo(chat("77101"))).length === 2);
  expect(await sentTo(chat("77101"))).toEqual(["Rent is due.", "Bus leaves."]);
  expect(await asked("beat-alert")).toHaveLength(4);
  // What had nothing to say is not seen by the next one.
  expect(JSON.stringify((await asked("beat-alert")).at(-1))).not.toContain('HEARTBEAT_OK"');
});

test("a beat with nothing to say is counted with its cost by the next one, also when the slot is delivered twice", async () => {
  const clock = await beating("beat-cost", { target: "none" });
  const models = [{ id: "beat-cost", cost: { input: 10, output: 20 } }];
  await patchConfig({ models: { providers: { fake: { models } } } });
  const usage = { input: 1000, output: 100 };
  await script(
    "beat-cost",
    Array.from({ length: 3 }, () => ({ text: "HEARTBEAT_OK", usage })),
  );
  await clock.tickAt(START);
  const counted = async () => {
    const { runs, cost_micros: micros } = await clock.row("heartbeat:beat-cost");
    return [runs, micros];
  };
  for (let beat = 0; beat < 3; beat++) {
    const { due_at: dueAt } = await clock.row("heartbeat:beat-cost");
    const { tick } = await import("../../src/events/scheduled.ts");
    await tick(clock.env, dueAt, Date.now());
    clock.queue.push({ ...clock.queue[0]! });
    await clock.deliver();
    await finished(await runOf(clock, "heartbeat:beat-cost"));
    expect(await counted()).toEqual([beat, beat * 12_000]);
  }
});

test("two triggers at once and a redelivered message are one run; a missed hour is one run", async () => {
  const clock = await beating("beat-once", { target: "none" });
  await script(
    "beat-once",
    Array.from({ length: 10 }, () => ({ text: "HEARTBEAT_OK" })),
  );
  await clock.tickAt(START);
  const { due_at: dueAt } = await clock.row("heartbeat:beat-once");
  const { tick } = await import("../../src/events/scheduled.ts");
  await Promise.all([tick(clock.env, dueAt, Date.now()), tick(clock.env, dueAt, Date.now())]);
  expect(clock.queue).toHaveLength(1);
  clock.queue.push({ ...clock.queue[0]! });
  await clock.deliver();
  await finished(await runOf(clock, "heartbeat:beat-once"));
  expect(await asked("beat-once")).toHaveLength(1);
  expect((await clock.row("heartbeat:beat-once")).due_at).toBe(dueAt + 30 * MINUTE);
  // Three slots are missed.
  await clock.tickAt(dueAt + 100 * MINUTE);
  await finished(await runOf(clock, "heartbeat:beat-once"));
  await waitFor(async () => (await asked("beat-once")).length === 2);
  expect((await clock.row("heartbeat:beat-once")).due_at).toBe(dueAt + 120 * MINUTE);
  // An older event claims nothing that is newer.
  await clock.tickAt(dueAt + 90 * MINUTE);
  expect(clock.queue).toHaveLength(0);
  expect(await asked("beat-once")).toHaveLength(2);
});

test("an empty HEARTBEAT.md is skipped with its reason, and read again only when it changes", async () => {
  const clock = await beating("beat-empty", { target: "none" });
  await script("beat-empty", [{ text: "HEARTBEAT_OK" }]);
  const workspace = openWorkspace({ agentId: "beat-empty" });
  await workspace.write("HEARTBEAT.md", "# Tasks\n\n<!-- none yet -->\n- [ ]\n", { kind: "any" });
  await clock.tickAt(START);
  await clock.tickNext("heartbeat:beat-empty");
  const row = await clock.row("heartbeat:beat-empty");
  expect(row).toMatchObject({ last_status: "skipped", last_reason: "HEARTBEAT.md has nothing to do" });
  expect(row.empty_etag).not.toBeNull();
  await workspace.write("HEARTBEAT.md", "- Check mail\n", { kind: "any" });
  await clock.tickNext("heartbeat:beat-empty");
  await finished(await runOf(clock, "heartbeat:beat-empty"));
  expect(await clock.row("heartbeat:beat-empty")).toMatchObject({ last_status: "dispatched" });
  expect(await asked("beat-empty")).toHaveLength(1);
});

test("outside active hours nothing is due, and a block that goes takes its row along", async () => {
  const clock = await beating("beat-night", { activeHours: { start: "08:00", end: "09:00", timezone: "UTC" } });
  await clock.tickAt(START);
  const { due_at: dueAt } = await clock.row("heartbeat:beat-night");
  expect(new Date(dueAt).toISOString()).toMatch(/^2026-11-24T08:/);
  const { document } = await (await call("GET", "/v1/config")).json<any>();
  await patchConfig({ agents: { list: document.agents.list.filter(({ id }: any) => id !== "beat-night") } });
  await clock.tickAt(START + MINUTE);
  expect(await clock.row("heartbeat:beat-night")).toBeNull();
});

test("a person never waits behind a heartbeat: it gives way at its next step and goes on later", async () => {
  const clock = await beating("beat-yield", { target: "none" });
  await script("beat-yield", [
    { text: "", calls: [{ name: "session_status", args: {} }], delayMs: 800 },
    { text: "Hello, person." },
    { text: "HEARTBEAT_OK" },
  ]);
  await clock.tickAt(START);
  await clock.tickNext("heartbeat:beat-yield");
  await waitFor(async () => (await asked("beat-yield")).length === 1);
  const sessionKey = "agent:beat-yield:main";
  const body = { message: "Are you there?", sessionKey, model: "fake/beat-yield" };
  const sent = await call("POST", "/v1/agent", body);
  expect(sent.status).toBe(202);
  const { runId } = await sent.json<any>();
  await finished(runId);
  const beat = await runOf(clock, "heartbeat:beat-yield");
  const ended = await finished(beat);
  expect(ended.status).toBe("ok");
  expect((await finished(runId)).reply).toBe("Hello, person.");
  const requests = await asked("beat-yield");
  expect(requests).toHaveLength(3);
  expect(JSON.stringify(requests[1])).toContain("Are you there?");
  expect(JSON.stringify(requests[1])).not.toContain("A message came in between");
  expect(JSON.stringify(requests[2])).toContain("A message came in between");
});

test("a heartbeat goes to where a person wrote last, and the session of that conversation knows it", async () => {
  const clock = await beating("beat-last", { target: "last", isolatedSession: true, lightContext: true });
  await patchConfig({
    bindings: [{ agentId: "beat-last", match: { channel: "telegram", peer: { kind: "direct", id: "77201" } } }],
  });
  await openWorkspace({ agentId: "beat-last" }).write("SOUL.md", "You are the quiet kind.\n", { kind: "any" });
  await script("beat-last", [{ text: "Hello." }, { text: "The rent is due." }, { text: "It was the rent." }]);
  const own = "agent:beat-last:telegram:direct:77201";
  const speak = (text: string) => hear("beat-last", chat("77201"), text, {}, { sessionKey: own });
  await finished(await speak("Hi"));
  await waitFor(
    async () => (await env.DB.prepare("SELECT route FROM sessions WHERE key = ?").bind(own).first("route")) !== null,
  );
  await clock.tickAt(START);
  await clock.tickNext("heartbeat:beat-last");
  const beat = await finished(await runOf(clock, "heartbeat:beat-last"));
  expect(beat.sessionKey).toBe("agent:beat-last:cron:heartbeat");
  await waitFor(async () => (await sentTo(chat("77201"))).includes("The rent is due."));
  const asks = await asked("beat-last");
  expect(JSON.stringify(asks[1])).toContain("Look at the mail");
  expect(JSON.stringify(asks[1])).not.toContain("the quiet kind");
  await waitFor(async () => JSON.stringify(await historyOf(own)).includes("The rent is due."));
  await patchConfig({ bindings: null });
});

test("where nobody has written yet a heartbeat to the last conversation runs, and its status says so", async () => {
  const clock = await beating("beat-nowhere", { target: "last" });
  await script("beat-nowhere", [{ text: "Rent." }]);
  await clock.tickAt(START);
  await clock.tickNext("heartbeat:beat-nowhere");
  const row = await clock.row("heartbeat:beat-nowhere");
  expect(row.last_status).toBe("dispatched");
  expect(row.last_reason).toBe("nobody has written to the agent yet, so what it says goes nowhere");
  await finished(await runOf(clock, "heartbeat:beat-nowhere"));
});

test("a text for a heartbeat is told though another heartbeat waits already", async () => {
  const clock = await beating("beat-texts", { target: "none" });
  await script("beat-texts", [{ text: "Busy.", delayMs: 1500 }, { text: "HEARTBEAT_OK" }, { text: "HEARTBEAT_OK" }]);
  await clock.tickAt(START);
  const body = { message: "Work.", sessionKey: "agent:beat-texts:main", model: "fake/beat-texts" };
  expect((await call("POST", "/v1/agent", body)).status).toBe(202);
  await waitFor(async () => (await asked("beat-texts")).length === 1);
  await clock.tickNext("heartbeat:beat-texts");
  await addWakeText(env.DB, { id: "beat-text", agentId: "beat-texts", text: "The parcel is here.", at: START });
  await clock.tickNext("heartbeat:beat-texts");
  await waitFor(async () => (await asked("beat-texts")).length === 3);
  expect(JSON.stringify(await asked("beat-texts"))).toContain("The parcel is here.");
});

test("/heartbeat off stops the beat that runs, before the turn at work has ended", async () => {
  const clock = await beating("beat-off", { target: "none", session: "beats" });
  await script("beat-off", [{ text: "This takes long.", delayMs: 8_000 }]);
  await clock.tickAt(START);
  await clock.tickNext("heartbeat:beat-off");
  await waitFor(async () => (await asked("beat-off")).length === 1);
  await say("/heartbeat off", "beat-off", { sessionKey: "agent:beat-off:beats" });
  await waitFor(async () => (await clock.row("heartbeat:beat-off")).is_off === 1);
  expect(await finished(await runOf(clock, "heartbeat:beat-off"))).toMatchObject({ status: "aborted" });

  // A turn of a person goes on, and the heartbeat is off before it ends.
  await say("/heartbeat on", "beat-off", { sessionKey: "agent:beat-off:talk" });
  await waitFor(async () => (await clock.row("heartbeat:beat-off")).is_off === 0);
  const { runId } = await say("Think hard", "beat-off", { sessionKey: "agent:beat-off:talk" });
  await waitFor(async () => (await asked("beat-off")).length === 2);
  await say("/heartbeat off", "beat-off", { sessionKey: "agent:beat-off:talk" });
  await waitFor(async () => (await clock.row("heartbeat:beat-off")).is_off === 1);
  expect(await (await call("GET", `/v1/runs/${runId}`)).json()).toMatchObject({ status: "running" });
  await call("POST", `/v1/runs/${runId}/abort`);
});
