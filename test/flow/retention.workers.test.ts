import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { MAX_EVENT_ROWS } from "../../src/retention/clear-history.ts";
import { asked, call, eventsOf, finished, historyOf, parseEvents, say, script, waitFor } from "./client.ts";
import { putOutside } from "./outside.ts";
import { configure, evict, fillTranscript, folderOf, NONE, rewrite, session, sql, stubOf } from "./session-lab.ts";
import { openSocket } from "./socket-client.ts";

const DAY_MS = 86_400_000;

const count = async (name: string, table: string) => {
  return (await sql<{ n: number }>(name, `select count(*) as n from ${table}`))[0]!.n;
};

/** Has a turn after which what is old is cleared away, however short ago that was done. */
async function turn(name: string, answer = "Fine."): Promise<string> {
  await script(name, [{ text: answer }]);
  await rewrite(name, "update session set tidied_at = 0");
  const { runId } = await say("How are you?", name, session(name));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: answer });
  await waitFor(async () => (await sql<{ at: number }>(name, "select tidied_at as at from session"))[0]!.at > 0);
  return runId;
}

/** A session whose first turn is so many days ago. Gives that turn's run and the cursor after it. */
async function longAgo(name: string, days: number): Promise<{ runId: string; cursor: number }> {
  await script(name, [{ calls: [{ name: "ls", args: {} }] }, { text: "Long ago." }]);
  const { runId } = await say("Hello", name, session(name));
  await finished(runId);
  // By then the index of all runs knows it, and the alarm notes so.
  await new Promise((resolve) => setTimeout(resolve, 350));
  await runDurableObjectAlarm(await stubOf(name));
  const at = Date.now() - days * DAY_MS;
  await sql(name, "update events set body = json_set(body, '$[0].ts', ?1, '$[#-1].ts', ?1)", at);
  await sql(name, "update messages set body = json_set(body, '$.at', ?)", at);
  await sql(name, "update runs set accepted_at = ?", at);
  const cursor = (await eventsOf(runId))[0]!.seq;
  return { runId, cursor };
}

describe("events", () => {
  test("older than a week are cleared away, messages stay, and an old cursor is told the oldest good one", async () => {
    const { runId, cursor } = await longAgo("week", 8);
    expect(await count("week", "events")).toBe(2);
    await turn("week");
    expect(await count("week", "events")).toBe(1);
    expect((await historyOf(session("week").sessionKey)).messages).toHaveLength(6);
    const path = `/v1/sessions/${session("week").sessionKey}/events`;
    for (const woken of [false, true]) {
      if (woken) await evict("week");
      const gone = await call("GET", `${path}?after=${cursor}`);
      expect(gone.status).toBe(410);
      const { error } = await gone.json<any>();
      expect(error).toMatchObject({ code: "gone", oldestCursor: expect.any(Number) });
      expect(error.hint).toContain(String(error.oldestCursor));
      expect((await call("GET", path, undefined, { "Last-Event-ID": String(cursor) })).status).toBe(410);
      expect((await call("GET", `/v1/runs/${runId}/events?after=${cursor}`)).status).toBe(410);
      const kept = await call("GET", `${path}?after=${error.oldestCursor}`);
      expect(kept.status).toBe(200);
      await kept.body!.cancel();
      const socket = await openSocket(session("week").sessionKey);
      socket.resume(cursor);
      expect(await socket.next("error")).toMatchObject({ error: { code: "gone", oldestCursor: error.oldestCursor } });
      socket.close();
    }
  });

  test("of an old run and of a session are read from 0 on with what is kept: the messages", async () => {
    const { runId } = await longAgo("fresh", 8);
    const next = await turn("fresh");
    const kinds = (await eventsOf(runId)).map((event) => [event.type, event.phase]);
    expect(kinds).toEqual([
      ["lifecycle", "start"],
      ["assistant", "message"],
      ["tool", "end"],
      ["assistant", "message"],
    ]);
    const stream = await call("GET", `/v1/sessions/${session("fresh").sessionKey}/events?after=0`);
    const reader = stream.body!.getReader();
    const events = parseEvents(new TextDecoder().decode((await reader.read()).value));
    await reader.cancel();
    expect(events.map(({ seq }) => seq)).toEqual(
      [...(await eventsOf(runId)), ...(await eventsOf(next))].map(({ seq }) => seq),
    );
  });

  test("more than there is room for are cleared away, the oldest first", async () => {
    await longAgo("many", 0);
    await runInDurableObject(await stubOf("many"), (_, { storage }) => {
      const body = (seq: number) =>
        JSON.stringify([{ type: "queue", phase: "waiting", ahead: 0, seq, ts: Date.now() }]);
      for (let seq = 20_000; seq < 20_000 + MAX_EVENT_ROWS + 500; seq++) {
        storage.sql.exec("insert into events (seq, run_id, body) values (?, 'run_x', ?)", seq, body(seq));
      }
      storage.sql.exec("update session set reserved_seq = 40000");
    });
    await evict("many");
    await turn("many");
    await waitFor(async () => (await count("many", "events")) === MAX_EVENT_ROWS);
    const [oldest] = await sql<{ seq: number; cursor: number }>(
      "many",
      "select min(seq) as seq, (select oldest_cursor from session) as cursor from events",
    );
    expect(oldest!.seq).toBe(oldest!.cursor + 1);
    expect((await call("GET", `/v1/sessions/${session("many").sessionKey}/events?after=20000`)).status).toBe(410);
  });

  test("that are not old stay, and a cursor that no event had yet is not found", async () => {
    const { cursor } = await longAgo("recent", 6);
    await turn("recent");
    expect(await count("recent", "events")).toBe(3);
    const path = `/v1/sessions/${session("recent").sessionKey}/events`;
    const kept = await call("GET", `${path}?after=${cursor}`);
    expect(kept.status).toBe(200);
    await kept.body!.cancel();
    const unknown = await call("GET", `${path}?after=999999`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: "not_found", hint: expect.any(String) } });
  });

  test("are cleared away only when something happens: no alarm is set for it", async () => {
    await longAgo("asleep", 30);
    await rewrite("asleep", "update session set tidied_at = 0");
    await historyOf(session("asleep").sessionKey);
    expect(await runInDurableObject(await stubOf("asleep"), (_, { storage }) => storage.getAlarm())).toBeNull();
    expect(await count("asleep", "events")).toBe(2);
  });
});

describe("history, where it is kept for a number of days", () => {
  /** Lets a session know a configuration of its own. */
  async function keepFor(name: string, days: number): Promise<void> {
    await configure(name, (config) => ({ ...config, session: { retention: { days } } }));
  }

  /** Puts what a long life leaves behind into a session: old turns, their runs, deliveries and a large result. */
  async function pastOf(name: string): Promise<void> {
    const { sessionKey } = session(name);
    await fillTranscript(name, 3000, 1000);
    const spill = { id: `spl_${"0".repeat(26)}`, bytes: 3 };
    const result = { role: "tool", id: "msg_t", at: 1, callId: "c", tool: "dump", text: "x", isError: false, spill };
    await sql(name, "update messages set body = ? where seq = 1000", JSON.stringify(result));
    await putOutside(`${await folderOf(name)}spills/${spill.id}.txt`, "old");
    await putOutside(`${await folderOf(name)}spills/spl_${"1".repeat(26)}.txt`, "new");
    await runInDurableObject(await stubOf(name), (_, { storage }) => {
      const state = JSON.stringify({ status: "ok", endedAt: 1, endSeq: 1, usage: NONE });
      for (let n = 0; n < 1500; n++) {
        storage.sql.exec(
          "insert into runs (id, open, state, merge_key, accepted_at) values (?, 0, ?, '', 1)",
          `run_${n}`,
          state,
        );
      }
      const target = '{"channel":"x","accountId":"x","conversationId":"x"}';
      for (const [n, status] of ["delivered", "failed", "unsure", "pending"].entries()) {
        storage.sql.exec(
          "insert into outbox (delivery_id, run_id, target, text, status, attempts, due_at) values (?, 'run_0', ?, '', ?, 1, ?)",
          ...[`dlv_${n}`, target, status, status === "pending" ? Date.now() + DAY_MS : 1],
        );
      }
    });
    await sql(
      name,
      `insert into subagents (key, run_id, open, body) values ('old', 'run_0', 0, '{"phase":{"at":1}}'),
       ('new', 'run_0', 0, json_object('phase', json_object('at', ?1))), ('open', 'run_0', 1, '{"phase":{}}')`,
      Date.now(),
    );
    await sql(
      name,
      `insert into processes (id, run_id, open, body) values (1, 'run_0', 0, '{"command":"","phase":{"at":1}}'),
       (2, 'run_0', 0, json_object('command', '', 'phase', json_object('at', ?1))),
       (3, 'run_0', 0, '{"command":"date","announceTo":{},"phase":{"status":"ended","at":1,"text":"out"}}')`,
      Date.now(),
    );
    const insert = env.DB.prepare(
      "insert into runs (id, session_key, agent_id, status, accepted_at, ended_at, input_tokens, output_tokens) values (?, ?, 'main', 'ok', 1, 1, 0, 0)",
    );
    await env.DB.batch(["run_0", "run_1"].map((id) => insert.bind(`${name}_${id}`, sessionKey)));
  }

  test("goes when it is older, but for what the model is shown: messages, runs, deliveries, large results", async () => {
    await longAgo("days", 400);
    await pastOf("days");
    await evict("days");
    await keepFor("days", 30);
    await turn("days");
    await waitFor(async () => (await count("days", "outbox")) === 1);
    const left = await count("days", "messages");
    await turn("days", "Still fine.");
    const shown = (await asked("days")).at(-1)!.body.messages.length;
    expect(shown).toBeGreaterThan(500);
    expect(Math.abs(left - shown)).toBeLessThan(10);
    expect(await sql("days", "select status from outbox")).toEqual([{ status: "pending" }]);
    expect(await sql("days", "select key from subagents order by key")).toEqual([{ key: "new" }, { key: "open" }]);
    // The number of the newest command is not given again.
    expect(await sql("days", "select id from processes order by id")).toEqual([{ id: 2 }, { id: 3 }]);
    expect(await sql("days", "select body from processes where id = 3")).toEqual([
      { body: '{"command":"","phase":{"status":"ended","at":1,"text":""}}' },
    ]);
    const runs = (await sql<{ id: string }>("days", "select id from runs order by rowid")).map(({ id }) => id);
    const [oldest] = await sql<{ run_id: string }>("days", "select run_id from messages order by seq limit 1");
    expect(runs[0]).toBe(oldest!.run_id);
    const listed = await (await call("GET", `/v1/sessions/${session("days").sessionKey}/runs`)).json<any>();
    expect(listed.runs.map(({ id }: any) => id)).not.toContain("days_run_0");
    const files = (await env.FILES.list({ prefix: await folderOf("days") })).objects.map(({ key }) =>
      key.slice(-8, -4),
    );
    expect(files).toEqual(["1111"]);
    expect((await call("GET", `/v1/sessions/${session("days").sessionKey}/events?after=1`)).status).toBe(410);
  });

  test("stays where nothing is said of days", async () => {
    await longAgo("keep", 400);
    await pastOf("keep");
    await evict("keep");
    await turn("keep");
    expect(await count("keep", "messages")).toBe(3006);
    expect(await count("keep", "runs")).toBe(1502);
  });

  test("stays as long as it is not older", async () => {
    await longAgo("young", 20);
    await keepFor("young", 30);
    await turn("young");
    expect(await count("young", "messages")).toBe(6);
  });
});
