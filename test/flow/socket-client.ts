import { SELF } from "cloudflare:test";
import { type AgentEvent, isLast } from "../../src/agent/events.ts";
import type { ServerFrame } from "../../src/session/socket-protocol.ts";
import { waitFor } from "./client.ts";

type Frame<Type> = Extract<ServerFrame, { type: Type }>;

/** Asks for a socket of a session; the answer may be a refusal. */
export function upgrade(sessionKey: string, headers: Record<string, string> = {}): Promise<Response> {
  return SELF.fetch(`https://isopod.test/v1/sessions/${encodeURIComponent(sessionKey)}/socket`, {
    headers: { Upgrade: "websocket", Authorization: "Bearer test-token", ...headers },
  });
}

/** A client that keeps all that it is sent, and acknowledges every frame of events unless it is `deaf`. */
export async function openSocket(sessionKey: string, { deaf = false } = {}): Promise<Client> {
  const response = await upgrade(sessionKey);
  if (response.webSocket === null) throw new Error(`${response.status} ${await response.text()}`);
  return new Client(response.webSocket, deaf);
}

export class Client {
  readonly texts: string[] = [];
  readonly frames: ServerFrame[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, deaf: boolean) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") throw new Error("A frame was binary.");
      this.texts.push(data);
      if (!data.startsWith("{")) return;
      const frame: ServerFrame = JSON.parse(data);
      this.frames.push(frame);
      if (!deaf && frame.type === "events") this.send({ type: "ack", seq: frame.events.at(-1)!.seq });
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed ??= { code, reason };
    });
    socket.accept();
  }

  /** The events so far, in the order in which they came. */
  get events(): AgentEvent[] {
    return this.frames.flatMap((frame) => (frame.type === "events" ? (frame.events as unknown as AgentEvent[]) : []));
  }

  /** Number of the last event; what a client goes on from. */
  get cursor(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** Sends JSON, or what is given as it is. */
  send(frame: object | string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const isRaw = typeof frame === "string" || frame instanceof Uint8Array;
    this.#socket.send(isRaw ? frame : JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close(1000);
  }

  /** Asks for the events after a number. */
  resume(after: number): void {
    this.send({ type: "resume", after });
  }

  /** Says something and gives the answer. */
  async say(message: string, scenario: string, more: object = {}): Promise<Frame<"accepted">> {
    const id = `say-${this.frames.length}-${message}`;
    this.send({ type: "input", id, message, model: `fake/${scenario}`, ...more });
    return this.next("accepted", (frame) => frame.id === id);
  }

  /** The first frame of a type, as soon as it is there. */
  async next<Type extends ServerFrame["type"]>(
    type: Type,
    is: (frame: Frame<Type>) => boolean = () => true,
  ): Promise<Frame<Type>> {
    const find = () =>
      this.frames.find((frame): frame is Frame<Type> => frame.type === type && is(frame as Frame<Type>));
    await waitFor(async () => find() !== undefined);
    return find()!;
  }

  /** Resolves once a run's last event is there. */
  async end(runId: string): Promise<void> {
    await waitFor(async () => this.events.some((event) => event.runId === runId && isLast(event)));
  }
}

/** The messages that a reader of these events has, the way the transcript gives them. */
export function messagesIn(events: readonly AgentEvent[]): object[] {
  return events.flatMap((event): object[] => {
    const head = { seq: event.seq, runId: event.runId };
    if (event.phase === "start" && event.type === "lifecycle") return [{ ...event.input, ...head }];
    if (event.phase === "joining") return [{ ...event.input, ...head }];
    if (event.type === "assistant" && event.phase === "message") return [{ ...event.message, ...head }];
    return event.type === "tool" && event.phase === "end" ? [{ ...event.message, ...head }] : [];
  });
}
