import type { AgentEvent } from "../agent/events.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { parseSessionKey, placeOf } from "../config/session-key.ts";
import { shortDigest } from "../lib/digest.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import type { Services } from "../services/services.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { RunState } from "../session-store/run.ts";
import { type AcceptedRun, type AcceptRequest, callerKey, requestInput } from "../session-store/run-request.ts";
import {
  CLOSED,
  type ClientFrame,
  clientFrameOf,
  type InputFrame,
  idIn,
  parseFrame,
  type ServerFrame,
} from "./socket-protocol.ts";
import { acknowledged, hasRoom, isStuck, type SendWindow, sent, windowAfter } from "./socket-window.ts";

/** Most sockets of one session. */
const MAX_SOCKETS = 100;
/** Events read at a time, and about how many characters of them are put into one frame. */
const PAGE = 50;
const FRAME_CHARS = 65_536;

/** Dependencies of `Sockets`. */
export interface SocketPorts {
  ctx: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets" | "setWebSocketAutoResponse">;
  log: EventLog;
  accept(request: AcceptRequest): AcceptedRun;
  abort(runId: string): RunState["status"] | undefined;
  services(): Services;
  now(): number;
}

/** The attachment of a socket, which the platform keeps during hibernation. */
interface Seat {
  sessionKey: string;
  agentId: string;
  objectName: string;
  /** Absent until the client has sent `resume`. */
  window?: SendWindow;
}

/**
 * The WebSockets of a session. They hibernate: the state of a client is in its socket's attachment, so the object may
 * leave memory between two frames, and there are no timers.
 *
 * A client receives events as fast as it acknowledges them. Events beyond its window stay in the log and are read
 * later.
 */
export class Sockets {
  readonly #ports: SocketPorts;
  #willFlow = false;
  /** Settles when the frames before have been handled. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ports: SocketPorts) {
    this.#ports = ports;
    ports.log.watch(() => this.#flowSoon());
  }

  /** Answers a request to upgrade; 429 where there are too many sockets. */
  async open(sessionKey: string): Promise<Response> {
    const { ctx } = this.#ports;
    const { agentId } = parseSessionKey(sessionKey);
    const objectName = await objectNameOf(sessionKey);
    if (ctx.getWebSockets().length >= MAX_SOCKETS) return new Response(null, { status: 429 });
    const { 0: client, 1: server } = new WebSocketPair();
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    ctx.acceptWebSocket(server);
    keep(server, { sessionKey, agentId, objectName });
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Handles a client's frame. */
  async receive(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    let value: unknown;
    try {
      value = parseFrame(data);
      const frame = clientFrameOf(value);
      const digest =
        frame.type === "input" && frame.idempotencyKey !== undefined ? shortDigest(frame.message) : undefined;
      // A frame that needs no digest does not overtake one that does.
      const turn = this.#turn.then(() => digest);
      this.#turn = turn.catch(() => undefined);
      this.#handle(socket, frame, await turn);
    } catch (thrown) {
      const id = idIn(value);
      if (thrown instanceof IsopodError) send(socket, { type: "error", ...(id && { id }), error: bodyOf(thrown) });
      else fail(socket, thrown);
    }
  }

  /** Answers a client's close frame; the platform does not do it. */
  close(socket: WebSocket): void {
    if (socket.readyState === WebSocket.CLOSING) socket.close(1000);
  }

  /** Closes all sockets because the session is deleted. */
  end(): void {
    for (const socket of this.#ports.ctx.getWebSockets()) socket.close(CLOSED.deleted, "The session was deleted.");
  }

  /** Logs a broken connection; the client reconnects by itself. */
  broken(error: unknown): void {
    writeLog("debug", "socket.broken", { error: messageOf(error) });
  }

  #handle(socket: WebSocket, frame: ClientFrame, inputDigest: string | undefined): void {
    const { log, abort } = this.#ports;
    const seat = seatOf(socket);
    switch (frame.type) {
      case "input":
        send(socket, { type: "accepted", id: frame.id, ...this.#accept(frame, seat, inputDigest) });
        return;
      case "abort": {
        const status = abort(frame.runId);
        if (status === undefined) throw new IsopodError("not_found", `This session has no run '${frame.runId}'`);
        send(socket, { type: "stopping", ...(frame.id && { id: frame.id }), runId: frame.runId, status });
        return;
      }
      case "resume":
        log.requireCursor(frame.after);
        send(socket, { type: "resumed", ...(frame.id && { id: frame.id }), after: frame.after });
        this.#flow(socket, { ...seat, window: windowAfter(frame.after) });
        return;
      case "ack":
        if (seat.window) this.#flow(socket, { ...seat, window: acknowledged(seat.window, frame.seq) });
    }
  }

  #accept(frame: InputFrame, { sessionKey, agentId, objectName }: Seat, inputDigest: string | undefined): AcceptedRun {
    const { accept, services, now } = this.#ports;
    const { idempotencyKey } = frame;
    return accept({
      sessionKey,
      agentId,
      runId: newRunId(objectName, now()),
      ...(idempotencyKey !== undefined && { idempotencyKey: callerKey(idempotencyKey) }),
      ...(inputDigest !== undefined && { inputDigest }),
      input: requestInput(frame, { agentId, place: placeOf(sessionKey) }, services()),
    });
  }

  /** Sends new events after the current commit, because the log may change several times within it. */
  #flowSoon(): void {
    if (this.#willFlow) return;
    this.#willFlow = true;
    queueMicrotask(() => {
      this.#willFlow = false;
      for (const socket of this.#ports.ctx.getWebSockets()) {
        try {
          this.#flow(socket, seatOf(socket));
        } catch (thrown) {
          fail(socket, thrown);
        }
      }
    });
  }

  /** Sends new events as far as the window allows. */
  #flow(socket: WebSocket, seat: Seat): void {
    const { log, now } = this.#ports;
    if (seat.window === undefined || socket.readyState !== WebSocket.OPEN) return;
    if (isStuck(seat.window, now())) {
      socket.close(CLOSED.slow, "Too slow. Connect again and resume.");
      return;
    }
    let { window } = seat;
    for (let page = read(log, window); page.length > 0; page = read(log, window)) {
      for (const { text, seq } of framesOf(page)) {
        if (!hasRoom(window)) break;
        socket.send(text);
        window = sent(window, { seq, chars: text.length }, now());
      }
    }
    keep(socket, { ...seat, window });
  }
}

function read(log: EventLog, window: SendWindow): AgentEvent[] {
  return hasRoom(window) ? log.read({ after: window.cursor, limit: PAGE }) : [];
}

/** Groups events into frames; an event that is larger than a frame gets its own. */
function* framesOf(events: readonly AgentEvent[]): Generator<{ text: string; seq: number }> {
  let texts: string[] = [];
  let chars = 0;
  for (const [at, event] of events.entries()) {
    const text = JSON.stringify(event);
    texts.push(text);
    chars += text.length;
    if (chars < FRAME_CHARS && at < events.length - 1) continue;
    yield { text: `{"type":"events","events":[${texts.join(",")}]}`, seq: event.seq };
    texts = [];
    chars = 0;
  }
}

function seatOf(socket: WebSocket): Seat {
  return socket.deserializeAttachment();
}

function keep(socket: WebSocket, seat: Seat): void {
  socket.serializeAttachment(seat);
}

function send(socket: WebSocket, frame: ServerFrame): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}

/** Closes a socket after an unexpected error: how much was done is unknown, so the client reconnects and repeats. */
function fail(socket: WebSocket, thrown: unknown): void {
  writeLog("error", "socket.failed", { error: messageOf(thrown) });
  socket.close(CLOSED.failed, "Something went wrong here. Connect again.");
}

function bodyOf({ code, message, hint, details }: IsopodError) {
  return { code, message, ...(hint !== undefined && { hint }), ...details };
}
