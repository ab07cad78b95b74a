import {
  type AfterClose,
  type GatewayFrame,
  type GatewaySession,
  greeting,
  heartbeat,
  heartbeatMs,
  OP,
  readFrame,
  sessionOf,
} from "../channels/discord/gateway-protocol.ts";
import { messageOf } from "../lib/errors.ts";

/** Most events that wait to be taken up; then the connection ends, and the rest comes again. */
const MAX_WAITING = 500;
/** A code that leaves the session as it is, so that it can be resumed. */
const CLOSE_TO_RESUME = 4000;

/** Dependencies of `GatewayConnection`. */
export interface GatewayConnectionDeps {
  token: string;
  /** The session to resume; another one begins where absent. */
  session: GatewaySession | undefined;
  now(): number;
  /** A random number from 0 to 1. */
  chance(): number;
  /** What a close code asks for. */
  afterClose(code: number): AfterClose;
  /** Called when heartbeats are asked for: the first one is due after `ms`. */
  beatsIn(ms: number): void;
  /** Called when events come: with the session if it is a new one. */
  ready(session: GatewaySession | undefined): void;
  /** Takes up an event; a rejection ends the connection, so that the event comes again. */
  take(event: GatewayFrame): Promise<void>;
  /** Called once, at the end. */
  ended(after: AfterClose, problem: string): void;
}

/** One connection with Discord's Gateway. Events are taken up in order, one at a time. */
export class GatewayConnection {
  readonly openedAt: number;
  readonly #socket: WebSocket;
  readonly #deps: GatewayConnectionDeps;
  #intervalMs: number | undefined;
  #nextBeatAt: number;
  #isAcknowledged = true;
  /** The last event that has come; it may still wait. */
  #seq: number | null;
  #takenSeq: number;
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOver = false;

  constructor(socket: WebSocket, deps: GatewayConnectionDeps, helloWithinMs: number) {
    this.#socket = socket;
    this.#deps = deps;
    this.openedAt = deps.now();
    this.#nextBeatAt = this.openedAt + helloWithinMs;
    this.#seq = deps.session?.seq ?? null;
    this.#takenSeq = deps.session?.seq ?? 0;
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("close", ({ code }) => {
      this.#end(deps.afterClose(code), `Discord closed the connection (${code})`);
    });
    socket.addEventListener("error", () => this.#end({ kind: "resume" }, "the connection broke"));
    socket.accept();
  }

  /** The last event up to which all are taken up. */
  get takenSeq(): number {
    return this.#takenSeq;
  }

  /**
   * Sends a heartbeat if one is due. Without an answer to the last one the connection is dead, and ends.
   * @returns milliseconds until the next one is due
   */
  beat(): number {
    const now = this.#deps.now();
    if (now < this.#nextBeatAt) return this.#nextBeatAt - now;
    if (this.#intervalMs === undefined || !this.#isAcknowledged) {
      this.#close("Discord did not answer");
      return 0;
    }
    this.#isAcknowledged = false;
    this.#send(heartbeat(this.#seq));
    this.#nextBeatAt = now + this.#intervalMs;
    return this.#intervalMs;
  }

  /** Ends it for good: Discord shows the bot as offline. */
  leave(): void {
    this.#isOver = true;
    this.#socket.close(1000);
  }

  #receive(data: unknown): void {
    const frame = readFrame(data);
    if (frame === undefined || this.#isOver) return;
    try {
      this.#handle(frame);
    } catch (error) {
      this.#close(`a frame of Discord cannot be read: ${messageOf(error)}`);
    }
  }

  #handle(frame: GatewayFrame): void {
    switch (frame.op) {
      case OP.hello: {
        this.#intervalMs = heartbeatMs(frame);
        const firstMs = Math.floor(this.#intervalMs * this.#deps.chance());
        this.#nextBeatAt = this.#deps.now() + firstMs;
        this.#deps.beatsIn(firstMs);
        this.#send(greeting(this.#deps.token, this.#deps.session));
        break;
      }
      case OP.heartbeat:
        this.#send(heartbeat(this.#seq));
        break;
      case OP.heartbeatAck:
        this.#isAcknowledged = true;
        break;
      case OP.reconnect:
        this.#close("Discord asked for another connection");
        break;
      case OP.invalidSession:
        this.#close("the session was over", frame.d === true ? { kind: "resume" } : { kind: "identify" });
        break;
      case OP.dispatch:
        this.#dispatch(frame);
        break;
    }
  }

  #dispatch(frame: GatewayFrame): void {
    this.#seq = frame.s ?? this.#seq;
    if (frame.t === "READY") this.#deps.ready(sessionOf(frame));
    else if (frame.t === "RESUMED") this.#deps.ready(undefined);
    else if (this.#waiting >= MAX_WAITING) this.#close("events came faster than they are taken up");
    else {
      this.#waiting++;
      this.#work = this.#work.then(() => this.#take(frame));
    }
  }

  async #take(frame: GatewayFrame): Promise<void> {
    this.#waiting--;
    // It comes again on the next connection.
    if (this.#isOver) return;
    try {
      await this.#deps.take(frame);
      this.#takenSeq = frame.s ?? this.#takenSeq;
    } catch (error) {
      this.#close(`an event could not be taken up: ${messageOf(error)}`);
    }
  }

  #close(problem: string, after: AfterClose = { kind: "resume" }): void {
    if (!this.#isOver) this.#socket.close(CLOSE_TO_RESUME);
    this.#end(after, problem);
  }

  #end(after: AfterClose, problem: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deps.ended(after, problem);
  }

  #send(text: string): void {
    this.#socket.send(text);
  }
}
