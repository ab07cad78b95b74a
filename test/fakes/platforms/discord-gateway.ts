import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { type LocalServer, listen } from "../listen.ts";

/** A frame of the Gateway, as it is sent and received. */
export interface GatewayFrame {
  op: number;
  d?: unknown;
  s?: number;
  t?: string;
}

interface Session {
  id: string;
  seq: number;
  events: GatewayFrame[];
  isOver: boolean;
}

/** What a test has the Gateway do. */
export interface GatewayOrders {
  /** Events of the current session, whether somebody is connected or not. */
  dispatch?: { t: string; d: unknown }[];
  /** Any other frame for the current connection. */
  send?: GatewayFrame;
  /** Closes the current connection with a code. */
  close?: number;
  /** Cuts the current connection without a code. */
  cut?: true;
  /** The current session can no longer be resumed. */
  forget?: true;
  /** Closes the next connections with these codes once they have identified themselves. */
  refuse?: number[];
  /** Whether heartbeats are left without an answer. */
  isMute?: boolean;
  /** Milliseconds between heartbeats. */
  intervalMs?: number;
}

/** What came over the connections, and how many there were. */
export interface GatewayLog {
  connections: number;
  open: number;
  received: GatewayFrame[];
}

interface Place extends GatewayLog {
  url: string;
  sockets: Set<WebSocket>;
  session: Session | undefined;
  sessions: Map<string, Session>;
  refuse: number[];
  isMute: boolean;
  intervalMs: number;
}

/**
 * Starts Discord's Gateway: each test has places of its own, `ws://…/<place>/`. `GET /control/<place>` answers its
 * `GatewayLog`, and `POST` takes `GatewayOrders`. The token `wrong` is no bot's.
 */
export async function startDiscordGateway(): Promise<LocalServer> {
  const places = new Map<string, Place>();
  const placeAt = (name: string, url: string): Place => {
    const place = places.get(name) ?? newPlace(url);
    places.set(name, place);
    return place;
  };
  const acceptor = new WebSocketServer({ noServer: true });
  async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, , name = ""] = (request.url ?? "").split("/");
    const place = placeAt(name, `ws://${request.headers.host}/${name}/`);
    if (request.method === "POST") await obey(JSON.parse(await textOf(request)), place);
    const { connections, received, sockets } = place;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ connections, open: sockets.size, received } satisfies GatewayLog));
  }
  return listen(
    (request, response) => {
      control(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    },
    0,
    (request, socket, head) => {
      const [, name = ""] = (request.url ?? "").split("/");
      const place = placeAt(name, `ws://${request.headers.host}/${name}/`);
      acceptor.handleUpgrade(request, socket, head, (accepted) => serve(accepted, place));
    },
  );
}

function newPlace(url: string): Place {
  const log = { connections: 0, open: 0, received: [] };
  const state = { session: undefined, sessions: new Map(), refuse: [], isMute: false, intervalMs: 41_250 };
  return { url, sockets: new Set(), ...log, ...state };
}

function serve(socket: WebSocket, place: Place): void {
  place.connections++;
  place.sockets.add(socket);
  socket.on("close", () => place.sockets.delete(socket));
  socket.on("message", (data) => {
    const frame: GatewayFrame = JSON.parse(String(data));
    place.received.push(frame);
    if (frame.op === 1 && !place.isMute) send(socket, { op: 11 });
    if (frame.op === 2) identify(frame.d as { token: string }, socket, place);
    if (frame.op === 6) resume(frame.d as { token: string; session_id: string; seq: number }, socket, place);
  });
  send(socket, { op: 10, d: { heartbeat_interval: place.intervalMs } });
}

function identify({ token }: { token: string }, socket: WebSocket, place: Place): void {
  const code = token === "wrong" ? 4004 : place.refuse.shift();
  if (code !== undefined) {
    socket.close(code);
    return;
  }
  const session: Session = { id: crypto.randomUUID(), seq: 1, events: [], isOver: false };
  place.session = session;
  place.sessions.set(session.id, session);
  const ready = { v: 10, user: { id: "900", username: "Isopod", bot: true }, guilds: [], session_id: session.id };
  send(socket, { op: 0, t: "READY", s: 1, d: { ...ready, resume_gateway_url: place.url } });
}

function resume(wanted: { session_id: string; seq: number }, socket: WebSocket, place: Place): void {
  const session = place.sessions.get(wanted.session_id);
  if (session === undefined || session.isOver || wanted.seq > session.seq) {
    send(socket, { op: 9, d: false });
    return;
  }
  for (const event of session.events.filter(({ s = 0 }) => s > wanted.seq)) send(socket, event);
  session.seq++;
  send(socket, { op: 0, t: "RESUMED", s: session.seq, d: {} });
}

async function obey(orders: GatewayOrders, place: Place): Promise<void> {
  const { dispatch = [], send: frame, close, cut, forget, ...settings } = orders;
  Object.assign(place, settings);
  if (forget && place.session) place.session.isOver = true;
  const [socket] = [...place.sockets].slice(-1);
  for (const { t, d } of dispatch) {
    if (place.session === undefined) throw new Error("There is no session yet.");
    const event = { op: 0, t, d, s: ++place.session.seq };
    place.session.events.push(event);
    if (socket) send(socket, event);
  }
  if (socket && frame) send(socket, frame);
  if (socket && close !== undefined) socket.close(close);
  if (socket && cut) socket.terminate();
}

function send(socket: WebSocket, frame: GatewayFrame): void {
  socket.send(JSON.stringify(frame));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
