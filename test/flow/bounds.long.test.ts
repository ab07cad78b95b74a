import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { messages } from "../../src/session-store/schema.ts";
import { MAX_ROW_BYTES, openStore } from "../../src/session-store/store.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { countRows, type Ran, rowsIn } from "./row-counter.ts";
import { armWithDump, evict, fillTranscript, NONE, session, sql, stubOf } from "./session-lab.ts";

async function largestRows(name: string): Promise<Record<string, number>> {
  const sizes = ["messages.body", "events.body", "runs.state", "runs.input", "outbox.text"].map(async (column) => {
    const [table, field] = column.split(".");
    const [row] = await sql<{ bytes: number }>(
      name,
      `select coalesce(max(octet_length(${field})), 0) as bytes from ${table}`,
    );
    return [column, row!.bytes] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}

async function expectSmallRows(name: string): Promise<void> {
  for (const [column, bytes] of Object.entries(await largestRows(name))) {
    expect({ column, isSmall: bytes <= 1_300_000 }).toEqual({ column, isSmall: true });
  }
}

describe("what can grow", () => {
  test("a row that would be over the limit is refused before the database sees it, and nothing is stored", async () => {
    await runInDurableObject(await stubOf("guard"), (_, state) => {
      state.storage.sql.exec("create table messages (seq integer primary key, run_id text, body text)");
      const store = openStore(state);
      const insert = (text: string) => {
        const message = { role: "user", id: "msg_1", at: 1, text } as const;
        store.insert(messages).values({ seq: 1, runId: "run_1", body: message }).run();
      };
      expect(() => insert("€".repeat(MAX_ROW_BYTES / 3))).toThrow(/do not fit into one row/);
      expect(store.select().from(messages).all()).toEqual([]);
      insert("x".repeat(1_000_000));
      expect(store.select().from(messages).all()).toHaveLength(1);
    });
  });

  test("what a door hands over is cut where it is too long, says so, and is read by the model", async () => {
    await script("long-input", [{ text: "Read." }]);
    const stub = (await stubOf("long-input")) as any;
    const runId = `run_${"0".repeat(26)}${stub.name}`;
    const input = { text: `${"\u0000".repeat(400_000)}\ud83e`, sender: { id: "42", owner: true }, timeoutSeconds: 60 };
    await stub.accept({
      ...session("long-input"),
      agentId: "main",
      runId,
      input: { ...input, model: "fake/long-input" },
    });
    await finished(runId);
    const { messages } = await historyOf(session("long-input").sessionKey);
    expect((messages[0] as any).text).toMatch(/\[200001 more characters were left out here\.\]$/);
    await expectSmallRows("long-input");
  });

  test("a reply whose arguments are too large fails as a call, and the run goes on", async () => {
    const content = "\u0001".repeat(400_000);
    await script("long-args", [
      { calls: [{ name: "write", args: { path: "long.md", content } }], chunkSize: 100_000 },
      { text: "Then not." },
    ]);
    const { runId, sessionKey } = await say("Write", "long-args", session("long-args"));
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Then not." });
    const result = (await historyOf(sessionKey)).messages.find(({ role }) => role === "tool") as any;
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("too much for one reply") });
    await expectSmallRows("long-args");
  });

  test("a model that does not come to an end is stopped, and what it said is kept as far as it fits", async () => {
    await script("endless", [{ text: "€ ".repeat(600_000), chunkSize: 50_000 }, { text: "Short." }]);
    const { runId, sessionKey } = await say("Talk", "endless", session("endless"));
    expect(await finished(runId)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("too long") },
    });
    const [, reply] = (await historyOf(sessionKey)).messages as any[];
    expect(reply.parts[0].text).toMatch(/characters were left out here\.\]$/);
    expect(reply.parts[0].text.length).toBeGreaterThan(300_000);
    await expectSmallRows("endless");
    expect(await finished((await say("And?", "endless", session("endless"))).runId)).toMatchObject({ reply: "Short." });
  });

  test("a very long run is shown its question and its newest messages, however much it has read", async () => {
    const steps = 20;
    await armWithDump("marathon", () => "d".repeat(60_000));
    const calls = Array.from({ length: steps }, (_, n) => ({ calls: [{ name: "dump", args: { n } }] }));
    await script("marathon", [...calls, { text: "Through." }]);
    const { runId } = await say("Read everything", "marathon", session("marathon"));
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Through." });
    const requests = (await asked("marathon")).map(({ body }) => body.messages.slice(1));
    expect(Math.max(...requests.map((shown) => JSON.stringify(shown).length))).toBeLessThan(900_000);
    for (const shown of requests) expect(shown[0]).toMatchObject({ role: "user", content: "Read everything" });
    expect(requests.at(-1).at(-1)).toMatchObject({ role: "tool" });
    expect((await historyOf(session("marathon").sessionKey)).messages).toHaveLength(2 * steps + 2);
  });

  test("only the last of the messages that a full queue dropped are shown, with their number", async () => {
    const more = session("crowd");
    await finished((await say("/queue followup cap=1 drop=summarize", "crowd", more)).runId);
    await script("crowd", [{ text: "first", delayMs: 1500 }, { text: "last" }]);
    await say("First", "crowd", more);
    await waitFor(async () => (await asked("crowd")).length === 1);
    for (let n = 0; n < 60; n++) await say(`Waiting ${n}`, "crowd", more);
    const { runId } = await say("The last", "crowd", more);
    await finished(runId);
    const told = (await asked("crowd")).at(-1)!.body.messages.at(-1).content as string;
    expect(told).toContain("[60 earlier messages were dropped because too many waited. The last 50 began:");
    expect(told.split("\n- ")).toHaveLength(51);
  });
});

describe("a session of 10,000 messages", () => {
  const COUNT = 10_000;
  const key = session("long").sessionKey;
  let oldRunId = "";
  let ran: () => Ran[];

  beforeAll(async () => {
    await script("long", [
      { text: "hello" },
      { calls: [{ name: "ls", args: {} }] },
      { text: "done" },
      { text: "again" },
    ]);
    oldRunId = (await say("The first", "long", session("long"))).runId;
    await finished(oldRunId);
    await fillTranscript("long", COUNT, 1000);
    const { runId } = await say("Second", "long", session("long"));
    await finished(runId);
    // As many runs and deliveries as such a session has.
    await runInDurableObject(await stubOf("long"), (_, { storage }) => {
      for (let n = 0; n < COUNT; n++) {
        const state = JSON.stringify({ status: "ok", endedAt: 1, endSeq: 1, usage: NONE });
        storage.sql.exec(
          "insert into runs (id, open, state, merge_key, accepted_at) values (?, 0, ?, '', 1)",
          `run_${n}`,
          state,
        );
        const values = [`dlv_${n}`, `run_${n}`, '{"channel":"x","accountId":"x","conversationId":"x"}'];
        storage.sql.exec(
          "insert into outbox (delivery_id, run_id, target, text, status, attempts, due_at) values (?, ?, ?, '', 'delivered', 1, 0)",
          ...values,
        );
        storage.sql.exec("insert into events (seq, run_id, body) values (?, 'run_0', '[]')", 100_000_000 + n);
      }
      storage.sql.exec("update session set reserved_seq = 200000000, tidied_at = ?", Date.now());
    });
    ran = await countRows("long");
  });

  test("is woken, and its alarm rings, without reading more than what is open", async () => {
    await evict("long");
    ran();
    await runInDurableObject(await stubOf("long"), () => undefined);
    expect(rowsIn(ran())).toBeLessThan(100);
    await runDurableObjectAlarm(await stubOf("long"));
    expect(rowsIn(ran())).toBeLessThan(100);
  });

  test("has a turn that reads no more than a model can be shown, and has the older part of that summarized", async () => {
    await evict("long");
    await runInDurableObject(await stubOf("long"), () => undefined);
    ran();
    const { runId } = await say("Now", "long", session("long"));
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "again" });
    // The newest two thousand are measured, then read; one page is looked at beyond them.
    expect(rowsIn(ran())).toBeLessThan(8_000);
    const { body } = (await asked("long")).at(-1)!;
    expect(body.messages[1].content).toContain("<summary>\n- again\n</summary>");
    expect(body.messages.at(-1).content).toBe("Now");
  });

  test("has turns from then on that read what the model is shown and little else", async () => {
    await evict("long");
    await runInDurableObject(await stubOf("long"), () => undefined);
    ran();
    const { runId } = await say("And now", "long", session("long"));
    expect(await finished(runId)).toMatchObject({ status: "ok", reply: "again" });
    const statements = ran();
    const shown = (await asked("long")).at(-1)!.body.messages;
    expect(shown.length).toBeLessThan(1_000);
    // Each is measured, then read; one page is looked at beyond them.
    expect(rowsIn(statements)).toBeLessThan(2 * shown.length + 200);
    const others = statements.filter(({ query }) => !query.includes('from "messages"'));
    expect(rowsIn(others)).toBeLessThan(150);
    expect(shown.at(2).content).toContain("Question 9");
    expect(shown.at(-1).content).toBe("And now");
  });

  test("gives a page of its history, from either end, by reading that page", async () => {
    ran();
    await call("GET", `/v1/sessions/${key}/history?limit=50`);
    expect(rowsIn(ran())).toBeLessThan(110);
    const page = await (await call("GET", `/v1/sessions/${key}/history?limit=50&before=1050`)).json<any>();
    expect(rowsIn(ran())).toBeLessThan(110);
    expect(page.messages.map(({ id }: any) => id)).toEqual(Array.from({ length: 50 }, (_, n) => `msg_${n}`));
  });

  test("shows its oldest run and streams that run's events without reading the others", async () => {
    ran();
    expect(await (await call("GET", `/v1/runs/${oldRunId}`)).json()).toMatchObject({ status: "ok", reply: "hello" });
    expect(rowsIn(ran())).toBeLessThan(30);
    expect((await eventsOf(oldRunId)).map(({ type }) => type)).toEqual(["lifecycle", "assistant", "lifecycle"]);
    expect(rowsIn(ran())).toBeLessThan(80);
  });

  test("is read as a stream of events page by page, as the reader pulls", async () => {
    ran();
    const response = await call("GET", `/v1/sessions/${key}/events?after=1000`);
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toMatch(/^id: 1001\n/);
    await reader.cancel();
    expect(rowsIn(ran())).toBeLessThan(2_000);
  });

  test("is exported whole, page by page", async () => {
    const response = await call("GET", `/v1/sessions/${key}/export`);
    expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
    const lines = new TextDecoder()
      .decode(await response.arrayBuffer())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(COUNT);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(lines[0]).toMatchObject({ role: "user", text: "The first", runId: oldRunId });
    expect((await historyOf(key)).messages.at(-1)).toEqual(lines.at(-1));
  });
});
