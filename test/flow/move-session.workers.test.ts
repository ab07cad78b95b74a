import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isInEu, newObjectName, newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import { ConfigStore } from "../../src/config/store.ts";
import { addressOf } from "../../src/services/call-session.ts";
import { knownPlaces } from "../../src/services/session-places.ts";
import { callSession } from "../../src/session/api.ts";
import { Session } from "../../src/session/session.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { armWithDump, rewrite, session, sql, stubOf } from "./session-lab.ts";
import { openSocket } from "./socket-client.ts";

// Another isolate knows nothing of earlier moves.
beforeEach(() => knownPlaces.clear());
afterEach(() => vi.restoreAllMocks());

const pathOf = (name: string) => `/v1/sessions/${encodeURIComponent(session(name).sessionKey)}`;
const move = (name: string, location: string) => call("POST", `${pathOf(name)}/move`, { location });
const textsOf = async (name: string) =>
  (await historyOf(session(name).sessionKey)).messages.map((message: any) => message.text ?? message.parts);

/** A session with a large result, one turn with a tool and one without. */
async function livedIn(name: string): Promise<string> {
  await armWithDump(name, () => "x".repeat(70_000));
  await script(name, [{ calls: [{ name: "dump", args: {} }] }, { text: "Remembered." }, { text: "Still here." }]);
  const { runId } = await say("Remember this", name, session(name));
  await finished(runId);
  await waitFor(async () => (await indexed(name)) !== undefined);
  return runId;
}

/** The session in the index of all sessions. */
async function indexed(name: string): Promise<{ location: string } | undefined> {
  const { sessions } = await (await call("GET", "/v1/sessions?limit=200")).json<any>();
  return sessions.find(({ key }: { key: string }) => key === session(name).sessionKey);
}

/** The tables that an object has, and where it says that its session is. */
async function leftIn(objectName: string) {
  return runInDurableObject(env.SESSIONS.getByName(objectName), (_, { storage }) => ({
    tables: storage.sql.exec("select name from sqlite_master where name not like '\\_cf%' escape '\\'").toArray()
      .length,
    place: storage.kv.get<{ kind: string; to?: string }>("place"),
  }));
}

const firstObject = (name: string) => objectNameOf(session(name).sessionKey);

describe("a session that is moved", () => {
  test("is there with all that it had, and its first object keeps nothing but the way to it", async () => {
    const runId = await livedIn("all");
    const before = await historyOf(session("all").sessionKey);
    const events = await eventsOf(runId);
    const answer = await move("all", "weur");
    expect(await answer.json()).toEqual({ key: session("all").sessionKey, location: "weur" });
    const left = await leftIn(await firstObject("all"));
    expect(left).toMatchObject({ tables: 0, place: { kind: "moved", isConfirmed: true } });
    knownPlaces.clear();
    expect(await historyOf(session("all").sessionKey)).toMatchObject({ messages: before.messages });
    expect(await eventsOf(runId)).toEqual(events);
    expect(await (await call("GET", `/v1/runs/${runId}`)).json()).toMatchObject({ status: "ok", reply: "Remembered." });
    const { spill } = before.messages.find((message: any) => message.role === "tool") as any;
    expect(await (await call("GET", `${pathOf("all")}/spills/${spill.id}`)).text()).toHaveLength(70_000);
    await waitFor(async () => (await indexed("all"))?.location === "weur");
    const next = await say("And now?", "all", session("all"));
    expect(await finished(next.runId)).toMatchObject({ status: "ok", reply: "Still here." });
    expect((await asked("all")).at(-1)!.body.messages.map(({ role }: any) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const runs = async () => (await (await call("GET", `${pathOf("all")}/runs`)).json<any>()).runs;
    await waitFor(async () => (await runs()).length === 2);
  });

  test("moves again, and is found from every object that it has left", async () => {
    const runId = await livedIn("twice");
    await move("twice", "apac");
    const { place } = await leftIn(await firstObject("twice"));
    const second = await say("Second", "twice", session("twice"));
    await finished(second.runId);
    await move("twice", "caller");
    for (const id of [runId, second.runId]) {
      knownPlaces.clear();
      expect(await (await call("GET", `/v1/runs/${id}`)).json()).toMatchObject({ status: "ok" });
    }
    expect(await leftIn(place!.to!)).toMatchObject({ tables: 0, place: { kind: "moved" } });
    // An isolate that asks D1 for the configuration learns of the moves along with it, without the detour.
    const { moves } = await new ConfigStore(env.DB).newest({ revision: 0 });
    for (const { object, movedTo } of moves) knownPlaces.learn(object, movedTo);
    const there = knownPlaces.newest(await firstObject("twice"));
    expect(await leftIn(there)).toMatchObject({ place: undefined });
    expect(moves.find(({ object }) => object === place!.to)?.movedTo).toBe(there);
  });

  test("keeps its readers, who resume at their cursors, and its settings", async () => {
    await livedIn("readers");
    const socket = await openSocket(session("readers").sessionKey);
    const { cursor } = await historyOf(session("readers").sessionKey);
    const stream = (await call("GET", `${pathOf("readers")}/events?after=${cursor}`)).body!.getReader();
    await finished((await say("/think high", "readers", session("readers"))).runId);
    await stream.read();
    expect((await move("readers", "oc")).status).toBe(200);
    await expect.poll(() => socket.closed).toBeTruthy();
    for (let ended = false; !ended; ) ended = (await stream.read()).done;
    const again = await call("GET", `${pathOf("readers")}/events?after=${cursor}`);
    await finished((await say("Go on", "readers", session("readers"))).runId);
    const seen = new TextDecoder().decode((await again.body!.getReader().read()).value);
    expect(seen).toContain("/think high");
    const { runId } = await say("/status", "readers", session("readers"));
    const status = await finished(runId);
    expect(status.reply).toContain("Thinking: high");
    expect(status.reply).toContain("Location: region `oc`");
  });

  test("is there once, also where the answer to the request is lost and it is repeated", async () => {
    await livedIn("repeated");
    const to = await newObjectName(session("repeated").sessionKey, false, Date.now());
    const address = { name: await firstObject("repeated") };
    for (let tries = 0; tries < 3; tries++) {
      knownPlaces.clear();
      const isThere = await callSession(env, address, (called, name) => called.move(name, to, "weur"));
      expect(isThere).toBe(true);
    }
    expect(await leftIn(to)).toMatchObject({ place: undefined });
    expect((await leftIn(to)).tables).toBeGreaterThan(5);
    expect((await historyOf(session("repeated").sessionKey)).messages).toHaveLength(4);
  });

  test("is deleted where it is, and begins anew there", async () => {
    const runId = await livedIn("deleted");
    await move("deleted", "sam");
    const { place } = await leftIn(await firstObject("deleted"));
    expect((await call("DELETE", pathOf("deleted"))).status).toBe(204);
    expect(await leftIn(place!.to!)).toEqual({ tables: 0, place: undefined });
    expect((await call("GET", `/v1/runs/${runId}`)).status).toBe(404);
    await script("deleted", [{ text: "Who are you?" }]);
    await finished((await say("Hello", "deleted", session("deleted"))).runId);
    expect(await leftIn(place!.to!)).toMatchObject({ tables: expect.any(Number), place: undefined });
    expect((await historyOf(session("deleted").sessionKey)).messages).toHaveLength(2);
  });
});

describe("a session that is to be in the European Union", () => {
  // This host has no jurisdictions: the names of the objects are as there, and all of them are here.
  const local = { ...env, ISOPOD_HOST: "workerd" as const };
  const hello = (name: string, objectName: string) => ({
    sessionKey: session(name).sessionKey,
    agentId: "main",
    runId: newRunId(objectName, Date.now()),
    configRevision: 0,
    input: { text: "Hello", timeoutSeconds: 60 },
  });

  test("begins there, and all isolates find it there whatever they know of the configuration", async () => {
    const { sessionKey } = session("in-eu");
    const addresses = await Promise.all([1, 2].map(() => addressOf(local, sessionKey, "eu")));
    const [{ name } = { name: "" }] = addresses;
    expect(isInEu(name)).toBe(true);
    expect(addresses).toEqual([{ name }, { name }]);
    await script("in-eu", [{ text: "Hello." }]);
    await callSession(local, { name }, (called) => called.accept(hello("in-eu", name)));
    expect(await leftIn(await firstObject("in-eu"))).toMatchObject({ tables: 0, place: { kind: "moved", to: name } });
    knownPlaces.clear();
    const [late, other] = [await addressOf(local, sessionKey, "caller"), await addressOf(local, sessionKey, "eu")];
    const history = await callSession(local, late, (called) => called.history(10, undefined));
    expect(history?.messages[0]).toMatchObject({ text: "Hello" });
    expect(other).toEqual({ name });
  });

  test("stays where it is if it has begun elsewhere", async () => {
    await livedIn("not-in-eu");
    const { sessionKey } = session("not-in-eu");
    expect(await addressOf(local, sessionKey, "eu")).toEqual({ name: await objectNameOf(sessionKey) });
  });

  test("is asked for once in an isolate, and not at all for a session of one request", async () => {
    const { sessionKey } = session("eu-twice");
    const settle = vi.spyOn(Session.prototype, "settle");
    for (let at = 0; at < 3; at++) await addressOf(local, sessionKey, "eu");
    expect(isInEu((await addressOf(local, "agent:main:openai:once:direct:x", "eu")).name)).toBe(true);
    expect(settle).toHaveBeenCalledTimes(1);
  });
});

describe("a move is refused", () => {
  test("where there is no session, or the location is none", async () => {
    expect((await move("nobody", "weur")).status).toBe(404);
    const answer = await move("nobody", "moon");
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("location");
  });

  test("while a run is under way", async () => {
    await script("busy", [{ text: "Done.", delayMs: 500 }]);
    const { runId } = await say("Take your time", "busy", session("busy"));
    const answer = await move("busy", "weur");
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ error: { hint: expect.stringContaining("abort") } });
    expect(await finished(runId)).toMatchObject({ reply: "Done." });
  });

  test("by the other object: the session stays and goes on, and what had arrived is deleted", async () => {
    await livedIn("stays");
    const receive = Session.prototype.receive;
    const targets: string[] = [];
    vi.spyOn(Session.prototype, "receive").mockImplementation(function (this: any, part) {
      targets.push(this.ctx.id.name);
      receive.call(this, { ...part, isLast: false });
      throw new Error("no room");
    });
    const answer = await move("stays", "weur");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { hint: expect.stringContaining("stays") } });
    expect((await leftIn(targets[0]!)).place).toMatchObject({ kind: "arriving" });
    await runDurableObjectAlarm(env.SESSIONS.getByName(targets[0]!));
    await waitFor(async () => (await leftIn(targets[0]!)).tables === 0);
    expect((await leftIn(targets[0]!)).place).toBeUndefined();
    const next = await say("And now?", "stays", session("stays"));
    expect(await finished(next.runId)).toMatchObject({ reply: "Still here." });
    expect((await sql("stays", "select location from session"))[0]).toEqual({ location: "caller" });
  });
});

describe("a crash", () => {
  const stages = ["before the copy", "after a part", "after all parts", "after letting go"] as const;

  test.each(stages)("of the object that is left, %s, loses nothing: the next incarnation goes on", async (stage) => {
    const name = `left ${stage.replaceAll(" ", "-")}`;
    await filled(name);
    const before = await textsOf(name);
    let kills = 0;
    let saying: ReturnType<typeof say> | undefined;
    const die = async (when: (typeof stages)[number], isLast: boolean) => {
      if (kills > 0 || when !== stage || !isLast) return;
      kills++;
      saying = say("Meanwhile", name, { ...session(name), idempotencyKey: "once" });
      const stub = await stubOf(name);
      await runInDurableObject(stub, (_, state) => state.abort("killed by a test")).catch(() => undefined);
    };
    await during(die);
    const moved = (await move(name, "weur")).status;
    expect(kills).toBe(1);
    await runDurableObjectAlarm(await stubOf(name));
    expect([200, 503]).toContain(moved);
    const said = (await saying)!;
    const { runId } = await say("Meanwhile", name, { ...session(name), idempotencyKey: "once" });
    expect(runId).toBe(said.runId);
    await finished(runId);
    expect((await textsOf(name)).slice(0, before.length)).toEqual(before);
    expect((await textsOf(name)).filter((text) => text === "Meanwhile")).toHaveLength(1);
    await waitFor(async () => (await leftIn(await firstObject(name))).tables === 0);
  });

  test.each(stages)("of the other object, %s, loses nothing", async (stage) => {
    const name = `other ${stage.replaceAll(" ", "-")}`;
    await filled(name);
    const before = await textsOf(name);
    let kills = 0;
    await during(async (when, isLast, target) => {
      if (kills > 0 || when !== stage || !isLast) return;
      kills++;
      const stub = env.SESSIONS.getByName(target);
      await runInDurableObject(stub, (_, state) => state.abort("killed by a test")).catch(() => undefined);
    });
    await move(name, "weur");
    expect(kills).toBe(1);
    await runDurableObjectAlarm(await stubOf(name));
    expect(await textsOf(name)).toEqual(before);
    const { runId } = await say("After", name, session(name));
    await finished(runId);
    expect((await textsOf(name)).slice(0, before.length)).toEqual(before);
  });

  /** A session of several parts. */
  async function filled(name: string): Promise<void> {
    await script(name, [{ text: "First." }, { text: "Next." }, { text: "Last." }]);
    await finished((await say("Hello", name, session(name))).runId);
    const text = (at: number) => JSON.stringify({ role: "user", id: `msg_${at}`, at, text: "y".repeat(900_000) });
    for (let at = 0; at < 6; at++) {
      const query = "insert into messages (seq, run_id, body) select reserved_seq + ?, 'run_x', ? from session";
      await sql(name, query, at, text(at));
    }
    await rewrite(name, "update session set reserved_seq = reserved_seq + 10");
  }

  /** Calls back at each stage of a move. `isLast` says whether the stage is complete. */
  async function during(at: (stage: (typeof stages)[number], isLast: boolean, target: string) => Promise<void>) {
    const { receive, confirmMove } = Session.prototype;
    vi.spyOn(Session.prototype, "receive").mockImplementation(async function (this: any, part: any) {
      const target = this.ctx.id.name;
      if (part.part === 0) await at("before the copy", true, target);
      const received = receive.call(this, part);
      await at("after a part", part.part === 1, target);
      await at("after all parts", part.isLast, target);
      return received;
    } as never);
    vi.spyOn(Session.prototype, "confirmMove").mockImplementation(async function (this: any) {
      await at("after letting go", true, this.ctx.id.name);
      return confirmMove.call(this);
    } as never);
  }
});
