import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { exchange } from "./exchange.ts";
import { cpuMsOf } from "./processes.ts";

/** What is done after a turn's answer is done by then. */
const SETTLE_MS = 1_000;
/** With its space. */
const DELTA = "The garden is dry, a";
const MESSAGE = "How are you today?";

/** The ways to read an answer while it is written. */
type Interface = "sse" | "websocket" | "openai";

/** CPU time of Isopod's workerd for each delta of a long answer, in milliseconds, by the interface that it is read over. */
export type InterfaceCost = Record<Interface, number | undefined>;

/** What is looked at of an event. */
interface Seen {
  type: string;
  phase?: string;
  runId?: string;
}

/** Reads long answers over each interface. */
export async function measureInterfaces(
  {
    url,
    token,
    modelServer,
    workerd,
  }: { url: string; token: string; modelServer: string; workerd: number | undefined },
  { deltas, turns }: { deltas: number; turns: number },
): Promise<InterfaceCost> {
  const reply = { text: DELTA.repeat(deltas), chunkSize: DELTA.length, steady: true };
  await fetch(`${modelServer}/control/default`, { method: "PUT", body: JSON.stringify({ replies: [reply] }) });
  const readers: Record<Interface, (session: string) => Promise<void>> = {
    sse: (session) => readStream(url, token, session),
    websocket: (session) => readSocket(url, token, session),
    openai: (session) => readCompletion(url, token, session),
  };
  const cost = async (name: Interface): Promise<number | undefined> => {
    const sessions = Array.from({ length: turns }, (_, n) => `${name}-${n}`);
    for (const session of sessions) await readers[name](session);
    await sleep(SETTLE_MS);
    const before = await cpuMsOf(workerd);
    for (const session of sessions) await readers[name](session);
    await sleep(SETTLE_MS);
    const after = await cpuMsOf(workerd);
    return before === undefined || after === undefined ? undefined : thousandth((after - before) / turns / deltas);
  };
  return { sse: await cost("sse"), websocket: await cost("websocket"), openai: await cost("openai") };
}

async function readStream(url: string, token: string, session: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  const body = { message: MESSAGE, sessionKey: `agent:main:hook:${session}` };
  await readToEnd(`${url}/v1/agent`, { headers, body }, '"phase":"end"');
}

async function readCompletion(url: string, token: string, session: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const messages = [{ role: "user", content: MESSAGE }];
  const body = { model: "isopod/main", user: session, stream: true, messages };
  await readToEnd(`${url}/v1/chat/completions`, { headers, body }, "[DONE]");
}

async function readToEnd(url: string, sent: Parameters<typeof exchange>[2], last: string): Promise<void> {
  const agent = new Agent();
  let tail = "";
  try {
    await exchange(agent, url, sent, (text) => {
      tail = (tail + text).slice(-2_000);
    });
  } finally {
    agent.destroy();
  }
  if (!tail.includes(last)) throw new Error(`${url} did not end well:\n${tail}`);
}

function readSocket(url: string, token: string, session: string): Promise<void> {
  const path = `/v1/sessions/${encodeURIComponent(`agent:main:hook:${session}`)}/socket`;
  // Node's WebSocket takes headers, which a browser's does not.
  const how = { headers: { Authorization: `Bearer ${token}` } };
  const socket: WebSocket = Reflect.construct(WebSocket, [url.replace(/^http/, "ws") + path, how]);
  let runId: string | undefined;
  let isOver = false;
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "input", id: "1", message: MESSAGE })));
    socket.addEventListener("close", ({ code }) => (isOver ? resolve() : reject(new Error(`It was closed: ${code}.`))));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data));
      // What comes after the acceptance: the run has just begun.
      if (frame.type === "accepted") {
        runId = frame.runId;
        socket.send(JSON.stringify({ type: "resume", after: 0 }));
      }
      if (frame.type === "error") reject(new Error(JSON.stringify(frame.error)));
      if (frame.type !== "events") return;
      socket.send(JSON.stringify({ type: "ack", seq: frame.events.at(-1)?.seq ?? 0 }));
      isOver = frame.events.some(
        (event: Seen) => event.phase === "end" && event.type === "lifecycle" && event.runId === runId,
      );
      if (isOver) socket.close();
    });
  });
}

function thousandth(value: number): number {
  return Math.round(value * 1000) / 1000;
}
