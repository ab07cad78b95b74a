import { expect, test } from "vitest";
import type { AfterClose, GatewayFrame, GatewaySession } from "../../src/channels/discord/gateway-protocol.ts";
import { GatewayConnection, type GatewayConnectionDeps } from "../../src/events/discord-connection.ts";
import { waitFor } from "../flow/client.ts";

const session: GatewaySession = { id: "s", seq: 7, url: "ws://gateway.test/", botId: "900" };

/** A connection whose other end is the test's. */
function connect(more: Partial<GatewayConnectionDeps> = {}) {
  const { 0: client, 1: server } = new WebSocketPair();
  const received: GatewayFrame[] = [];
  const closed: number[] = [];
  const ends: { after: AfterClose; problem: string }[] = [];
  server.accept();
  server.addEventListener("message", ({ data }) => void received.push(JSON.parse(String(data))));
  server.addEventListener("close", ({ code }) => void closed.push(code));
  const connection = new GatewayConnection(
    client,
    {
      token: "token",
      session,
      now: () => 0,
      chance: () => 0.5,
      afterClose: () => ({ kind: "resume" }),
      beatsIn: () => undefined,
      ready: () => undefined,
      take: async () => undefined,
      ended: (after, problem) => ends.push({ after, problem }),
      ...more,
    },
    10_000,
  );
  const send = (frame: object) => server.send(JSON.stringify(frame));
  return { connection, server, send, received, closed, ends };
}

const event = (s: number) => ({ op: 0, t: "MESSAGE_CREATE", s, d: {} });

test("events are taken up one at a time and in order", async () => {
  const taken: string[] = [];
  const take = async ({ s }: GatewayFrame) => {
    taken.push(`${s} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    taken.push(`${s} ends`);
  };
  const { connection, send } = connect({ take });
  for (const s of [8, 9]) send(event(s));
  await waitFor(async () => connection.takenSeq === 9);
  expect(taken).toEqual(["8 begins", "8 ends", "9 begins", "9 ends"]);
});

test("an event that cannot be taken up ends the connection, and those behind it are left to come again", async () => {
  const taken: unknown[] = [];
  const take = async ({ s }: GatewayFrame) => {
    taken.push(s);
    if (s === 9) throw new Error("the session does not answer");
  };
  const { connection, send, closed, ends } = connect({ take });
  for (const s of [8, 9, 10]) send(event(s));
  await waitFor(async () => closed.length === 1);
  expect(taken).toEqual([8, 9]);
  expect(connection.takenSeq).toBe(8);
  expect(ends).toEqual([
    { after: { kind: "resume" }, problem: expect.stringContaining("the session does not answer") },
  ]);
  expect(closed).toEqual([4000]);
});

test("when events come faster than they are taken up, the connection ends so that they come again", async () => {
  const { send, ends } = connect({ take: () => new Promise(() => undefined) });
  for (let s = 8; s < 520; s++) send(event(s));
  await waitFor(async () => ends.length === 1);
  expect(ends).toMatchObject([{ after: { kind: "resume" }, problem: expect.stringContaining("faster") }]);
});

test("a frame that is none is passed over, and one that cannot be read ends the connection", async () => {
  const { server, send, ends } = connect();
  server.send("{");
  server.send(new Uint8Array([1, 2, 3]));
  send({ op: 10, d: {} });
  await waitFor(async () => ends.length === 1);
  expect(ends).toMatchObject([{ after: { kind: "resume" }, problem: expect.stringContaining("cannot be read") }]);
});

test("a session is resumed from the last event that was taken up", async () => {
  const { send, received } = connect();
  send({ op: 10, d: { heartbeat_interval: 41_250 } });
  await waitFor(async () => received.length === 1);
  expect(received).toEqual([{ op: 6, d: { token: "token", session_id: "s", seq: 7 } }]);
});

test("a connection on which Discord says nothing at all ends when its time is over", async () => {
  let now = 0;
  const { connection, ends } = connect({ now: () => now });
  expect(connection.beat()).toBe(10_000);
  now = 10_000;
  connection.beat();
  expect(ends).toMatchObject([{ problem: "Discord did not answer" }]);
});
