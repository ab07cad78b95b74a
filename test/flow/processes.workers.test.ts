import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { at, serve } from "../security/outside-lab.ts";
import { withoutStacks } from "../shell/without-stacks.ts";
import { asked, call, env, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { configure, kill, session, sql, stubOf } from "./session-lab.ts";

const ROOT = "agents/main/workspace/";
const EXEC = (command: string, more: object = {}) => ({ name: "exec", args: { command, background: true, ...more } });
const PROCESS = (action: string, id?: number) => ({ name: "process", args: { action, ...(id && { id }) } });

withoutStacks();
beforeAll(() => serve("processes", { page: { body: "From outside." } }));

async function messagesOf(name: string): Promise<any[]> {
  return (await historyOf(session(name).sessionKey)).messages;
}

/** The notices of ends that the agent has had. */
async function noticesOf(name: string): Promise<any[]> {
  return (await messagesOf(name)).filter(({ role, sender }) => role === "user" && sender?.id === "system");
}

async function resultsOf(name: string): Promise<string[]> {
  return (await messagesOf(name)).filter(({ role }) => role === "tool").map(({ text }) => text);
}

async function phasesOf(name: string): Promise<string[]> {
  const rows = await sql<{ body: string }>(name, "SELECT body FROM processes ORDER BY id");
  return rows.map(({ body }) => JSON.parse(body).phase.status);
}

/** Waits until nothing is left to do, with no alarm set. */
async function atRest(name: string): Promise<void> {
  const isAtRest = async (_: unknown, { storage }: DurableObjectState) =>
    storage.sql.exec("SELECT id FROM runs WHERE open = 1").toArray().length === 0 &&
    (await storage.getAlarm()) === null;
  await waitFor(async () => runInDurableObject(await stubOf(name), isAtRest));
}

/** The configuration of a session whose commands go on in the background after so many milliseconds. */
function after(backgroundMs: number, more: object = {}) {
  return (config: any) => ({ ...config, tools: { ...config.tools, exec: { backgroundMs, ...more } } });
}

async function start(name: string, replies: Parameters<typeof script>[1]): Promise<string> {
  await script(name, replies);
  const { runId } = await say("Do it", name, session(name));
  return runId;
}

test("what a command prints is seen while it runs, in order, and leaves no rows", async () => {
  const command = "for i in 1 2 3; do echo $i; sleep 0.6; done";
  const runId = await start("live", [{ calls: [{ name: "exec", args: { command } }] }, { text: "ok" }]);
  const events: any[] = await eventsOf(runId);
  const ofTool = events.filter(({ type }) => type === "tool");
  const seen = ofTool.filter(({ phase }) => phase === "update").map(({ text }) => text);
  expect(seen.length).toBeGreaterThan(0);
  for (const text of seen) expect("1\n2\n3\n").toContain(text);
  expect(seen).toEqual(seen.toSorted());
  expect(seen.at(-1)).toBe("1\n2\n3\n");
  expect(ofTool.at(0)).toMatchObject({ phase: "start" });
  expect(ofTool.at(-1)).toMatchObject({ phase: "end", message: { text: "1\n2\n3" } });
  const stored = await sql<{ body: string }>("live", "SELECT body FROM events");
  expect(stored.map(({ body }) => body).join()).not.toContain("update");
  expect((await eventsOf(runId)).some((event: any) => event.phase === "update")).toBe(false);
});

test("a command that takes long goes on, stores its files, and its end wakes the agent once", async () => {
  const command = "echo begun; sleep 1.5; echo made > bg.txt; echo done";
  await configure("wakes", after(400));
  const runId = await start("wakes", [
    { calls: [{ name: "exec", args: { command } }] },
    { text: "It runs." },
    { text: "It is done." },
  ]);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "It runs." });
  expect((await resultsOf("wakes"))[0]).toContain("It still runs, as process 1.");
  await waitFor(async () => (await asked("wakes")).length === 3);
  const [notice, ...more] = await noticesOf("wakes");
  expect(more).toEqual([]);
  expect(notice.text).toMatch(/Process 1[\s\S]*has ended[\s\S]*\nbegun\ndone\n\nWrote: bg\.txt\n/);
  expect(notice.labels).toBeUndefined();
  expect(await (await env.FILES.get(`${ROOT}bg.txt`))?.text()).toBe("made\n");
  await atRest("wakes");
  expect((await messagesOf("wakes")).at(-1).parts[0].text).toBe("It is done.");
  expect(await phasesOf("wakes")).toEqual(["ended"]);
});

test("without tools.exec.notifyOnExit an end wakes nobody, and is in the log", async () => {
  await configure("quiet-end", after(300, { notifyOnExit: false }));
  const runId = await start("quiet-end", [
    { calls: [{ name: "exec", args: { command: "sleep 1; echo late" } }] },
    { text: "ok" },
    { calls: [PROCESS("log", 1)] },
    { text: "Seen." },
  ]);
  await finished(runId);
  await waitFor(async () => (await phasesOf("quiet-end"))[0] === "ended");
  await atRest("quiet-end");
  expect(await asked("quiet-end")).toHaveLength(2);
  await finished((await say("And?", "quiet-end", session("quiet-end"))).runId);
  expect((await resultsOf("quiet-end")).at(-1)).toBe("late");
});

test("a command whose object dies is interrupted, which the agent is told once", async () => {
  await finished(
    await start("dies", [{ calls: [EXEC("echo x > died.txt; sleep 20")] }, { text: "ok" }, { text: "I see." }]),
  );
  await kill("dies");
  await waitFor(async () => (await asked("dies")).length === 3);
  await atRest("dies");
  await kill("dies");
  await atRest("dies");
  const notices = await noticesOf("dies");
  expect(notices).toHaveLength(1);
  expect(notices[0].text).toContain("was interrupted");
  expect(await phasesOf("dies")).toEqual(["interrupted"]);
  expect(await env.FILES.head(`${ROOT}died.txt`)).toBeNull();
});

test("an object that dies after the end of a command tells the agent that end, once", async () => {
  await finished(
    await start("dies-late", [
      { calls: [EXEC("sleep 0.3; echo out")] },
      { text: "ok" },
      { hang: true },
      { text: "Heard." },
    ]),
  );
  await waitFor(async () => (await asked("dies-late")).length === 3);
  await kill("dies-late");
  await waitFor(async () => (await asked("dies-late")).length === 4);
  await atRest("dies-late");
  const notices = await noticesOf("dies-late");
  expect(notices).toHaveLength(1);
  expect(notices[0].text).toContain("\nout\n");
});

test("an agent lists its commands, looks at one, and kills it: then it stores nothing and wakes nobody", async () => {
  const runId = await start("killed", [
    { calls: [EXEC("echo so far; echo x > killed.txt; sleep 20")] },
    {
      calls: [{ name: "exec", args: { command: "sleep 0.5" } }, PROCESS("list"), PROCESS("log", 1), PROCESS("kill", 1)],
    },
    { calls: [PROCESS("list"), PROCESS("kill", 1), PROCESS("log", 7)] },
    { text: "ok" },
  ]);
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  const [, , list, log, killed, listed, again, unknown] = await resultsOf("killed");
  expect(list).toMatch(/^1 {2}running, \d+ s {2}echo so far; /);
  expect(log).toBe("so far\n");
  expect(killed).toContain("killed");
  expect(listed).toMatch(/^1 {2}killed/);
  expect(again).toContain("does not run");
  expect(unknown).toContain("There is no process 7");
  await atRest("killed");
  expect(await noticesOf("killed")).toEqual([]);
  expect(await env.FILES.head(`${ROOT}killed.txt`)).toBeNull();
});

test("/stop, and the end of the run that started it by a stop, kill commands in the background", async () => {
  const replies = [{ calls: [EXEC("sleep 20")] }, { text: "ok" }];
  await finished(await start("bg-stop", replies));
  const stopped = await say("/stop", "bg-stop", session("bg-stop"));
  expect(await finished(stopped.runId)).toMatchObject({ reply: "Stopped 1 command." });
  expect(await phasesOf("bg-stop")).toEqual(["killed"]);

  const runId = await start("bg-abort", [{ calls: [EXEC("sleep 20")] }, { hang: true }]);
  await waitFor(async () => (await asked("bg-abort")).length === 2);
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  expect(await phasesOf("bg-abort")).toEqual(["killed"]);
  for (const name of ["bg-stop", "bg-abort"]) {
    await atRest(name);
    expect(await noticesOf(name)).toEqual([]);
  }
});

test("a session that is deleted takes its commands with it", async () => {
  await finished(await start("bg-gone", [{ calls: [EXEC("sleep 3; echo x > gone-later.txt")] }, { text: "ok" }]));
  const deleted = await call("DELETE", `/v1/sessions/${session("bg-gone").sessionKey}`);
  expect(deleted.ok).toBe(true);
  expect(await env.FILES.head(`${ROOT}gone-later.txt`)).toBeNull();
  expect((await call("GET", `/v1/sessions/${session("bg-gone").sessionKey}/history`)).status).toBe(404);
});

test("two commands run at once, a third is refused or waited for, and a session with one is not moved", async () => {
  await configure("bg-two", after(50));
  const runId = await start("bg-two", [
    {
      calls: [
        EXEC("sleep 4; echo one"),
        EXEC("sleep 4; echo two"),
        EXEC("echo three"),
        { name: "exec", args: { command: "sleep 0.6; echo four" } },
      ],
    },
    { text: "ok" },
    { text: "One of them." },
    { text: "The other." },
  ]);
  await finished(runId);
  const [one, two, three, four] = await resultsOf("bg-two");
  expect(one).toContain("process 1");
  expect(two).toContain("process 2");
  expect(three).toMatch(/^background: 2 commands run/);
  expect(four).toBe("four");
  const moved = await call("POST", `/v1/sessions/${session("bg-two").sessionKey}/move`, { location: "weur" });
  expect(moved.status).toBe(409);
  await waitFor(async () => (await noticesOf("bg-two")).length === 2);
  await atRest("bg-two");
  const texts = (await noticesOf("bg-two")).map(({ text }) => text).join("\n");
  expect(texts).toMatch(/\none\n/);
  expect(texts).toMatch(/\ntwo\n/);
});

test("the time limit of commands holds in the background", async () => {
  await finished(
    await start("bg-late", [{ calls: [EXEC("echo a; sleep 20", { timeout: 1 })] }, { text: "ok" }, { text: "Late." }]),
  );
  await waitFor(async () => (await noticesOf("bg-late")).length === 1);
  expect((await noticesOf("bg-late"))[0].text).toContain("stopped after 1 s");
});

test("what other hosts have said is fenced and labelled in the run that a command wakes, and in the log", async () => {
  const page = at("processes", "page");
  await script("bg-outside", [
    { calls: [EXEC(`sleep 0.5; curl -sS ${page}`)] },
    { text: "ok" },
    { calls: [PROCESS("log", 1)] },
    { text: "Seen." },
  ]);
  await finished((await say(`Read ${page}`, "bg-outside", session("bg-outside"))).runId);
  await waitFor(async () => (await asked("bg-outside")).length === 4);
  const [notice] = await noticesOf("bg-outside");
  expect(notice.text).toMatch(/<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>[\s\S]*From outside\./);
  const host = `host:${new URL(page).host}`;
  expect(notice.labels).toContain(host);
  const log = (await messagesOf("bg-outside")).findLast(({ role }) => role === "tool");
  expect(log.labels).toContain(host);
});
