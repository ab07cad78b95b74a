import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, listen } from "./listen.ts";

/** A server outside on loopback whose every call has an effect. */
export interface Counter extends LocalServer {
  /** How often each call took effect, by call id. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Starts a server that counts: `POST /<tool>/<call id>` adds one to that call and answers with the number; `GET /`
 * answers all counts.
 */
export async function startCounter({ port = 0 }: { port?: number } = {}): Promise<Counter> {
  const counts = new Map<string, number>();
  const server = await listen((request, response) => count(counts, request, response), port);
  return { ...server, counts };
}

function count(counts: Map<string, number>, request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const [, tool, callId] = pathname.split("/").map(decodeURIComponent);
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(Object.fromEntries(counts)));
  } else if (!callId) {
    response.writeHead(404);
    response.end();
  } else {
    const number = (counts.get(callId) ?? 0) + 1;
    counts.set(callId, number);
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(`${tool} ${callId}: ${number}`);
  }
}
