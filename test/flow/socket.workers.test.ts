import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type AgentEvent, isLast } from "../../src/agent/events.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { Sockets } from "../../src/session/socket.ts";
import { EventLog } from "../../src/session-store/event-log.ts";
import { openStore } from "../../src/session-store/store.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { type Client, messagesIn, openSocket, upgrade } from "./socket-client.ts";

const keyOf = (name: string) => `agent:main:hook:socket-${name}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function stubOf(name: string) {
  return env.SESSIONS.getByName(await objectNameOf(keyOf(name)));
}

/** Kills the object in the middle of what it does. */
async function kill(name: string): Promise<void> {
  const killed = runInDurableObject(await stubOf(name), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
}

/** Reads with one socket after another, each closed as soon as `isEnough`, until the run has ended. */
async function readInPieces(name: string, runId: string, isEnough: (client: Client) => boolean): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  while (!events.some((event) => event.runId === runId && isLast(event))) {
    const client = await openSocket(keyOf(name));
    client.resume(events.at(-1)?.seq ?? 0);
    await waitFor(async () => isEnough(client) || client.closed !== undefined);
    client.close();
    events.push(...client.events);
  }
  return events;
}

function expectInOrder(events: readonly AgentEvent[]): void {
  const seqs = events.map((event) => event.seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
}

const TWO_STEPS = [
  {
    text: "Let me write that down.",
    chunkSize: 4,
    gapMs: 25,
    calls: [{ name: "write", args: { path: "a.md", content: "1" } }],
  },
  { text: "It is written down now.", chunkSize: 4, gapMs: 25 },
];

describe("talking over a socket", () => {
  test("an input is accepted, and its events follow up to the end: what was heard is the transcript", async () => {
    await script("talk", TWO_STEPS);
    const client = await openSocket(keyOf("talk"));
    client.resume(0);
    const { id, runId, sessionKey } = await client.say("Remember", "talk");
    expect({ id, sessionKey }).toEqual({ id: expect.stringContaining("Remember"), sessionKey: keyOf("talk") });
    await client.end(runId);
    expectInOrder(client.events);
    expect(client.events.at(0)).toMatchObject({ type: "lifecycle", phase: "start", input: { text: "Remember" } });
    expect(
      client.events.filter((event) => event.type === "assistant" && event.phase === "delta").length,
    ).toBeGreaterThan(8);
    const { messages } = await historyOf(keyOf("talk"));
    expect(messagesIn(client.events)).toEqual(messages);
    expect(messages).toHaveLength(4);
  });

  test("what the model says arrives while it is still speaking, piece by piece", async () => {
    await script("live", [{ text: "One two three", chunkSize: 4, gapMs: 60 }]);
    const client = await openSocket(keyOf("live"));
    client.resume(0);
    const { runId } = await client.say("Go", "live");
    await client.next("events", ({ events }) => events.some((event) => event.phase === "delta"));
    expect(client.events.some((event) => event.type === "assistant" && event.phase === "message")).toBe(false);
    await client.end(runId);
    const deltas = client.frames.filter((frame) => frame.type === "events" && frame.events[0]?.phase === "delta");
    expect(deltas).toHaveLength(4);
  });

  test("two clients hear the same, also of a message that came in at another door", async () => {
    await script("two", TWO_STEPS);
    const clients = [await openSocket(keyOf("two")), await openSocket(keyOf("two"))];
    for (const client of clients) client.resume(0);
    const { runId } = await say("Hello", "two", { sessionKey: keyOf("two") });
    await Promise.all(clients.map((client) => client.end(runId)));
    expect(clients[0]!.events).toEqual(clients[1]!.events);
    clients[0]!.close();
    await script("two", [{ text: "Still here." }]);
    await clients[1]!.end((await clients[1]!.say("And you?", "two")).runId);
    expect(messagesIn(clients[1]!.events)).toEqual((await historyOf(keyOf("two"))).messages);
  });

  test("the same idempotency key is the same run, over sockets and HTTP", async () => {
    await script("once-socket", [{ text: "Once." }]);
    const more = { idempotencyKey: "key-1" };
    const [one, other] = [await openSocket(keyOf("once-socket")), await openSocket(keyOf("once-socket"))];
    const answers = await Promise.all([one.say("A", "once-socket", more), other.say("A", "once-socket", more)]);
    const posted = await say("A", "once-socket", { ...more, sessionKey: keyOf("once-socket") });
    expect(new Set([...answers, posted].map(({ runId }) => runId)).size).toBe(1);
    one.send({ type: "input", id: "b", message: "B", model: "fake/once-socket", ...more });
    expect(await one.next("error", ({ id }) => id === "b")).toMatchObject({ error: { code: "conflict" } });
    await finished(posted.runId);
    expect(await asked("once-socket")).toHaveLength(1);
  });

  test("a run is stopped, and a run that is not of this session is not found", async () => {
    await script("stop-socket", [{ hang: true }]);
    const client = await openSocket(keyOf("stop-socket"));
    client.resume(0);
    const { runId } = await client.say("x", "stop-socket");
    await waitFor(async () => (await asked("stop-socket")).length === 1);
    client.send({ type: "abort", id: "a", runId });
    expect(await client.next("stopping")).toMatchObject({ id: "a", runId, status: expect.any(String) });
    await client.end(runId);
    expect(client.events.at(-1)).toMatchObject({ phase: "error", error: { code: "aborted" } });
    client.send({ type: "abort", id: "b", runId: `run_${"0".repeat(52)}` });
    expect(await client.next("error")).toMatchObject({ id: "b", error: { code: "not_found" } });
  });

  test("an agent or a model that there is not is refused, and nothing is stored", async () => {
    expect((await upgrade("agent:nobody:main")).status).toBe(404);
    const client = await openSocket(keyOf("nobody"));
    client.send({ type: "input", id: "1", message: "x", model: "nowhere/model" });
    expect(await client.next("error")).toMatchObject({ id: "1", error: { code: "invalid_request" } });
    expect((await call("GET", `/v1/sessions/${keyOf("nobody")}/history`)).status).toBe(404);
  });
});

describe("going on after a break", () => {
  test("a socket sends nothing before the client has named its cursor", async () => {
    await script("silent-socket", [{ text: "Quiet." }]);
    const client = await openSocket(keyOf("silent-socket"));
    await finished((await client.say("x", "silent-socket")).runId);
    await pause(50);
    expect(client.events).toEqual([]);
    client.resume(0);
    await client.next("events");
    expect(messagesIn(client.events)).toHaveLength(2);
  });

  test("after every event there is, the rest comes and nothing twice", async () => {
    await script("every", TWO_STEPS);
    const { runId } = await say("x", "every", { sessionKey: keyOf("every") });
    await finished(runId);
    const all = await eventsOf(runId);
    expect(all.length).toBeGreaterThan(5);
    const client = await openSocket(keyOf("every"));
    for (const [at, { seq }] of all.entries()) {
      const rest = await openSocket(keyOf("every"));
      rest.resume(seq);
      if (at < all.length - 1) await rest.end(runId);
      await rest.next("resumed");
      expect(rest.events).toEqual(all.slice(at + 1));
      rest.close();
    }
    client.close();
  });

  test("a reader that is cut off after every single frame of a live run has the whole transcript, and no event twice", async () => {
    await script("pieces", TWO_STEPS);
    const { runId } = await say("x", "pieces", { sessionKey: keyOf("pieces") });
    const events = await readInPieces("pieces", runId, (client) => client.events.length > 0);
    expectInOrder(events);
    expect(messagesIn(events)).toEqual((await historyOf(keyOf("pieces"))).messages);
  });

  test("a socket goes on over an eviction of the object, with what it had and had not", async () => {
    await script("evicted", [{ text: "Before." }, { text: "After." }]);
    const client = await openSocket(keyOf("evicted"));
    client.resume(0);
    await client.end((await client.say("one", "evicted")).runId);
    await pause(50);
    await evictDurableObject(await stubOf("evicted"));
    expect(client.closed).toBeUndefined();
    await client.end((await client.say("two", "evicted")).runId);
    await evictDurableObject(await stubOf("evicted"));
    await client.end((await say("three", "evicted", { sessionKey: keyOf("evicted") })).runId);
    expectInOrder(client.events);
    expect(messagesIn(client.events)).toEqual((await historyOf(keyOf("evicted"))).messages);
  });

  test("over the death of the object a reader goes on from its last event, and what was lost is void", async () => {
    await script("killed", [{ text: "Half of a sentence that", chunkSize: 6, gapMs: 80 }, { text: "A whole one." }]);
    const client = await openSocket(keyOf("killed"));
    client.resume(0);
    const { runId } = await client.say("x", "killed");
    await client.next("events", ({ events }) => events.some((event) => event.phase === "delta"));
    await kill("killed");
    await waitFor(async () => client.closed !== undefined);
    const next = await openSocket(keyOf("killed"));
    next.resume(client.cursor);
    await runDurableObjectAlarm(await stubOf("killed"));
    await next.end(runId);
    expect(next.events[0]).toMatchObject({ type: "assistant", phase: "restart" });
    const events = [...client.events, ...next.events];
    expectInOrder(events);
    expect(messagesIn(events)).toEqual((await historyOf(keyOf("killed"))).messages);
  });

  test("after the cursor of the history, a socket gets the reply in progress from its beginning", async () => {
    await script("middle", [{ text: "One two three four", chunkSize: 4, gapMs: 60 }]);
    const first = await openSocket(keyOf("middle"));
    first.resume(0);
    const { runId } = await first.say("Count", "middle");
    await first.next("events", ({ events }) => events.some((event) => event.phase === "delta"));
    const { cursor } = await historyOf(keyOf("middle"));
    const second = await openSocket(keyOf("middle"));
    second.resume(cursor);
    await second.end(runId);
    const deltas = second.events.filter((event) => event.phase === "delta");
    expect(deltas.map((event) => ("text" in event ? event.text : "")).join("")).toBe("One two three four");
  });

  test("a cursor in the future is refused, and the previous one stays", async () => {
    await script("cursor", [{ text: "ok" }]);
    const client = await openSocket(keyOf("cursor"));
    client.resume(0);
    const { runId } = await client.say("x", "cursor");
    client.send({ type: "resume", id: "future", after: 1_000_000_000 });
    client.send({ type: "resume", id: "negative", after: -1 });
    client.send({ type: "resume", id: "broken", after: 1.5 });
    const codeOf = async (id: string) => (await client.next("error", (frame) => frame.id === id)).error;
    expect(await codeOf("future")).toMatchObject({ code: "not_found", hint: expect.stringContaining("cursor") });
    expect(await codeOf("negative")).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("after"),
    });
    expect(await codeOf("broken")).toMatchObject({ code: "invalid_request" });
    await client.end(runId);
  });
});

describe("a client that is slow", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Ten deltas that arrive apart; the window has room for six of them. */
  const LONG = { text: "x".repeat(480_000), chunkSize: 48_000, gapMs: 40 };
  async function hearToEnd(client: Client, runId: string): Promise<void> {
    const acknowledging = setInterval(() => client.send({ type: "ack", seq: client.cursor }), 20);
    await client.end(runId).finally(() => clearInterval(acknowledging));
  }
  const deltasSeen = (client: Client) => client.events.filter(({ phase }) => phase === "delta").length;

  test("is sent no more than it has room for, and all of it once it acknowledges", async () => {
    await script("slow-socket", [LONG]);
    const client = await openSocket(keyOf("slow-socket"), { deaf: true });
    client.resume(0);
    const { runId } = await client.say("x", "slow-socket");
    await finished(runId);
    await pause(50);
    const inFlight = client.events.length;
    expect(deltasSeen(client)).toBeGreaterThan(0);
    expect(deltasSeen(client)).toBeLessThanOrEqual(6);
    await hearToEnd(client, runId);
    expect(client.events.length).toBeGreaterThan(inFlight);
    expectInOrder(client.events);
    expect(messagesIn(client.events)).toEqual((await historyOf(keyOf("slow-socket"))).messages);
  });

  test("keeps its place over an eviction", async () => {
    await script("slow-evicted", [LONG, { text: "More." }]);
    const client = await openSocket(keyOf("slow-evicted"), { deaf: true });
    client.resume(0);
    await finished((await client.say("x", "slow-evicted")).runId);
    await pause(50);
    await evictDurableObject(await stubOf("slow-evicted"));
    const { runId } = await client.say("y", "slow-evicted");
    await finished(runId);
    await pause(50);
    expect(deltasSeen(client)).toBeGreaterThan(0);
    expect(deltasSeen(client)).toBeLessThanOrEqual(6);
    await hearToEnd(client, runId);
    expectInOrder(client.events);
    expect(messagesIn(client.events)).toEqual((await historyOf(keyOf("slow-evicted"))).messages);
  });

  test("is dropped when it does not acknowledge for long, and goes on with a new socket", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await script("dropped", [LONG, { text: "More." }]);
    const client = await openSocket(keyOf("dropped"), { deaf: true });
    client.resume(0);
    await finished((await client.say("x", "dropped")).runId);
    await pause(50);
    expect(client.closed).toBeUndefined();
    vi.setSystemTime(Date.now() + 31_000);
    const { runId } = await say("y", "dropped", { sessionKey: keyOf("dropped") });
    await waitFor(async () => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 4008, reason: expect.stringContaining("resume") });
    const next = await openSocket(keyOf("dropped"));
    next.resume(client.cursor);
    await next.end(runId);
    const events = [...client.events, ...next.events];
    expectInOrder(events);
    expect(messagesIn(events)).toEqual((await historyOf(keyOf("dropped"))).messages);
  });

  test("gets an event that is larger than the whole window", async () => {
    const text = "A long story. ".repeat(40_000);
    await script("large", [{ text, chunkSize: 100_000 }, { text: "Short." }]);
    await finished((await say("x", "large", { sessionKey: keyOf("large") })).runId);
    const client = await openSocket(keyOf("large"));
    client.resume(0);
    await client.end((await client.say("y", "large")).runId);
    expect(messagesIn(client.events)).toEqual((await historyOf(keyOf("large"))).messages);
  });
});

test("a commit that fails sends no event to any socket", async () => {
  await script("phantom", [{ text: "Real." }]);
  const client = await openSocket(keyOf("phantom"));
  client.resume(0);
  await client.end((await client.say("x", "phantom")).runId);
  const heard = client.events;
  await runInDurableObject(await stubOf("phantom"), (_, state) => {
    const log = new EventLog(openStore(state), 50_000);
    const refuse = () => expect.unreachable();
    new Sockets({ ctx: state, log, now: Date.now, accept: refuse, abort: refuse, services: refuse });
    const fail = () => {
      log.append("run_phantom", { role: "user", id: "msg_phantom", at: 0, text: "Never said." });
      throw new Error("the disk is full");
    };
    expect(() => state.storage.transactionSync(fail)).toThrow("the disk is full");
  });
  await pause(50);
  expect(client.events).toEqual(heard);
});

describe("what is refused, and how", () => {
  test("without a login, from another site, and without an upgrade there is no socket", async () => {
    const path = `https://isopod.test/v1/sessions/${keyOf("doors")}/socket`;
    expect((await SELF.fetch(path, { headers: { Upgrade: "websocket" } })).status).toBe(401);
    expect((await upgrade(keyOf("doors"), { Authorization: "Bearer guess" })).status).toBe(401);
    expect((await upgrade(keyOf("doors"), { Origin: "https://evil.test" })).status).toBe(403);
    const own = await upgrade(keyOf("doors"), { Origin: "https://isopod.test" });
    expect(own.status).toBe(101);
    own.webSocket?.accept();
    own.webSocket?.close();
    const plain = await call("GET", `/v1/sessions/${keyOf("doors")}/socket`);
    expect([plain.status, plain.headers.get("Upgrade")]).toEqual([426, "websocket"]);
    expect(await plain.json()).toMatchObject({ error: { code: "upgrade_required", hint: expect.any(String) } });
    expect((await upgrade("agent:Main")).status).toBe(400);
  });

  test("a browser's cookie opens a socket from our own page only", async () => {
    const login = await call("POST", "/v1/login", { token: "test-token" });
    const Cookie = login.headers.get("Set-Cookie")!.split(";")[0]!;
    const statusFrom = async (Origin: string) => {
      const path = `https://isopod.test/v1/sessions/${keyOf("cookie")}/socket`;
      const response = await SELF.fetch(path, { headers: { Upgrade: "websocket", Cookie, Origin } });
      response.webSocket?.accept();
      response.webSocket?.close();
      return response.status;
    };
    expect(await statusFrom("https://isopod.test")).toBe(101);
    expect(await statusFrom("https://evil.test")).toBe(403);
    expect(await statusFrom("null")).toBe(403);
  });

  test("frames that make no sense are answered with what is wrong with them, and the socket goes on", async () => {
    await script("bad", [{ text: "Fine." }]);
    const client = await openSocket(keyOf("bad"));
    const bad: [string | object, string][] = [
      ["{nope", "invalid_request"],
      ["", "invalid_request"],
      ["null", "invalid_request"],
      ["[]", "invalid_request"],
      ["Ping", "invalid_request"],
      [{}, "invalid_request"],
      [{ type: "fly" }, "invalid_request"],
      [{ type: "input", message: "no id" }, "invalid_request"],
      [{ type: "input", id: "", message: "x" }, "invalid_request"],
      [{ type: "input", id: "1", message: "" }, "invalid_request"],
      [{ type: "input", id: "1", message: "x", mesage: "y" }, "invalid_request"],
      [{ type: "ack", seq: "1" }, "invalid_request"],
      [{ type: "abort" }, "invalid_request"],
      [new Uint8Array([123, 125]), "unsupported_media_type"],
      [`{"type":"input","id":"1","message":"${"x".repeat(1024 * 1024)}"}`, "payload_too_large"],
    ];
    for (const [frame] of bad) client.send(frame);
    await waitFor(async () => client.frames.length === bad.length);
    const codes = client.frames.map((frame) => (frame.type === "error" ? frame.error.code : frame.type));
    expect(codes).toEqual(bad.map(([, code]) => code));
    expect(client.texts.join()).toContain("mesage");
    client.send({ type: "ack", seq: 5 });
    client.resume(0);
    await client.end((await client.say("x", "bad")).runId);
  });

  test("a frame that is wrong is answered under its id", async () => {
    const client = await openSocket(keyOf("id"));
    client.send({ type: "input", id: "mine" });
    expect(await client.next("error")).toMatchObject({ id: "mine" });
  });

  test("a session has a hundred sockets and no more, until one is closed", async () => {
    const clients = await Promise.all(Array.from({ length: 100 }, () => openSocket(keyOf("many"))));
    const refused = await upgrade(keyOf("many"));
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: "rate_limited" } }]);
    clients[0]!.close();
    await waitFor(async () => clients[0]!.closed !== undefined);
    clients[0] = await openSocket(keyOf("many"));
    for (const client of clients) client.close();
  });
});

describe("at rest", () => {
  test("a session with an open socket has no alarm, and a ping does not reach it", async () => {
    await script("rest", [{ text: "ok" }]);
    const client = await openSocket(keyOf("rest"));
    client.resume(0);
    await client.end((await client.say("x", "rest")).runId);
    await pause(400);
    await runDurableObjectAlarm(await stubOf("rest"));
    await evictDurableObject(await stubOf("rest"));
    const receive = vi.spyOn(Sockets.prototype, "receive");
    client.send("ping");
    await waitFor(async () => client.texts.includes("pong"));
    expect(receive).not.toHaveBeenCalled();
    receive.mockRestore();
    expect(await runInDurableObject(await stubOf("rest"), (_, state) => state.storage.getAlarm())).toBeNull();
    expect(client.closed).toBeUndefined();
  });

  test("a client that hangs up is answered and forgotten", async () => {
    const client = await openSocket(keyOf("bye"));
    client.close();
    await waitFor(async () => client.closed !== undefined);
    expect(client.closed?.code).toBe(1000);
    expect(await runInDurableObject(await stubOf("bye"), (_, state) => state.getWebSockets().length)).toBe(0);
  });
});
