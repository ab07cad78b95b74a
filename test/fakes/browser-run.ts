import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { BrowserBinding } from "../../src/browser/browser-binding.ts";
import { type LocalServer, listen } from "./listen.ts";

/** What stands behind one session: takes the messages of the DevTools protocol, and sends its own. */
export interface DevTools {
  receive(message: string): void;
  /** Ends with the session. */
  end(): void;
}

/** What was asked of the binding. */
export interface BrowserRunRequest {
  method: string;
  path: string;
  body: unknown;
}

/** Cloudflare's Browser Run, behind an address. */
export interface BrowserRun extends LocalServer {
  readonly requests: BrowserRunRequest[];
  /** The sessions that were acquired and not yet ended. */
  readonly open: ReadonlySet<string>;
  /** What the next request for a browser is answered with, instead of one. */
  refuseNext(status: number, text: string, headers?: Record<string, string>): void;
  /** Ends every session, as the platform does when it rolls out a release. */
  endAll(): void;
}

const SESSION = /^\/v1\/devtools\/browser\/([\w-]+)$/;

/**
 * Starts a stand-in for the HTTP API of the binding, as its documentation and `@cloudflare/puppeteer` have it: `POST
 * /v1/devtools/browser` acquires, an upgrade of `/v1/devtools/browser/<id>` connects, `DELETE` of the same ends.
 * @param start what stands behind a session
 * @see https://developers.cloudflare.com/browser-run/cdp/session-management/
 */
export async function startBrowserRun(
  start: (send: (message: string) => void, close: () => void) => DevTools | Promise<DevTools>,
): Promise<BrowserRun> {
  const requests: BrowserRunRequest[] = [];
  const open = new Set<string>();
  const sockets = new Map<string, WebSocket>();
  const upgrades = new WebSocketServer({ noServer: true });
  let refusal: [number, string, Record<string, string>] | undefined;
  let lastId = 0;
  const end = (id: string) => {
    open.delete(id);
    sockets.get(id)?.close();
    sockets.delete(id);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const path = request.url ?? "/";
    requests.push({ method: request.method ?? "", path, body: text === "" ? undefined : JSON.parse(text) });
    const say = (status: number, body: object) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const id = SESSION.exec(path)?.[1];
    if (request.method === "POST" && path.startsWith("/v1/devtools/browser?")) {
      if (refusal !== undefined) {
        const [status, words, headers] = refusal;
        refusal = undefined;
        return response.writeHead(status, headers).end(words);
      }
      const sessionId = `session-${++lastId}`;
      open.add(sessionId);
      return say(200, { sessionId });
    }
    if (request.method === "DELETE" && id !== undefined && open.has(id)) {
      end(id);
      return say(200, { status: "closed" });
    }
    return say(404, { error: "Session not found" });
  };
  const server = await listen(
    (request, response) => void handle(request, response),
    0,
    (request, socket, head) => {
      const id = SESSION.exec(request.url ?? "")?.[1];
      if (id === undefined || !open.has(id)) return socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      upgrades.handleUpgrade(request, socket, head, async (connected) => {
        sockets.set(id, connected);
        const waiting: string[] = [];
        let devTools: DevTools | undefined;
        connected.on("message", (data) => {
          if (devTools === undefined) waiting.push(String(data));
          else devTools.receive(String(data));
        });
        connected.on("close", () => devTools?.end());
        devTools = await start(
          (message) => connected.send(message),
          () => end(id),
        );
        for (const message of waiting) devTools.receive(message);
      });
    },
  );
  return {
    ...server,
    requests,
    open,
    refuseNext: (status, text, headers = {}) => {
      refusal = [status, text, headers];
    },
    endAll: () => {
      for (const id of [...open]) end(id);
    },
  };
}

/** The binding of a Worker to a Browser Run at an address, for tests in Node. */
export function browserBinding(url: string): BrowserBinding {
  return {
    async fetch(input, init = {}) {
      const address = `${url}${new URL(input).pathname}${new URL(input).search}`;
      if (new Headers(init.headers).get("Upgrade") !== "websocket") return fetch(address, init);
      return upgraded(address.replace("http", "ws"));
    },
  };
}

/** An answer as the Workers runtime gives it, with the socket in it. */
async function upgraded(address: string): Promise<Response> {
  const socket = new globalThis.WebSocket(address);
  const isOpen = await new Promise((resolve) => {
    socket.addEventListener("open", () => resolve(true));
    socket.addEventListener("error", () => resolve(false));
  });
  if (!isOpen) return new Response("Session not found", { status: 404 });
  return { status: 101, webSocket: Object.assign(socket, { accept: () => undefined }) } as unknown as Response;
}
