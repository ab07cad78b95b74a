import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalServer, listen } from "../fakes/listen.ts";
import type { DeliveryFault } from "./faults.ts";
import type { Place, Watch } from "./watch.ts";

/** How a request goes through a gate. */
export interface Passage {
  /** What it is called in reports. */
  name: string;
  /** On the way there and on the way back, in milliseconds. */
  beforeMs: number;
  afterMs: number;
  /** Whether it gets lost when whoever sent it is gone before it arrives. */
  lostWhenCut: boolean;
  /** What goes wrong with it. */
  fault?: DeliveryFault | undefined;
}

/**
 * Puts a gate in front of a server: it takes requests there and answers back, slowly, and tells the watch what is on
 * its way. @param passageOf undefined for a request that goes straight through, untold
 */
export async function startGate(
  target: string,
  place: Exclude<Place, "commit">,
  watch: Watch,
  passageOf: (path: string, body: string) => Passage | undefined,
): Promise<LocalServer> {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const path = request.url ?? "/";
    const passage = passageOf(path, body);
    if (passage === undefined) return answer(response, await forward(target, request, body));
    const leave = watch.enter(place, passage.name);
    try {
      await sleep(passage.beforeMs);
      if (response.destroyed && passage.lostWhenCut) return;
      const { fault } = passage;
      if (fault === "cut before") return void response.destroy();
      if (fault === "500" || fault === "429") return answer(response, refusalOf(Number(fault)));
      const forwarded = await forward(target, request, body);
      await sleep(passage.afterMs);
      if (fault === "cut after") return void response.destroy();
      answer(response, forwarded);
      watch.committed(passage.name);
    } finally {
      leave();
    }
  };
  return listen((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
}

/** A refusal that every platform could give, with what Telegram says in its body. */
function refusalOf(status: number): Forwarded {
  const retry = status === 429 ? { parameters: { retry_after: 1 } } : {};
  const body = {
    ok: false,
    error_code: status,
    description: status === 429 ? "Too Many Requests" : "Internal",
    ...retry,
  };
  return { status, type: "application/json", body: JSON.stringify(body), ...(status === 429 && { retryAfter: "1" }) };
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

interface Forwarded {
  status: number;
  type: string;
  body: string;
  retryAfter?: string;
}

/** Headers that are of one connection. */
const OF_CONNECTION = ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"];

async function forward(target: string, request: IncomingMessage, body: string): Promise<Forwarded> {
  const { method = "GET", url = "/", headers } = request;
  const response = await fetch(target + url, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      OF_CONNECTION.includes(name) || typeof value !== "string" ? [] : [[name, value]],
    ),
    ...(method !== "GET" && { body }),
  });
  const type = response.headers.get("content-type") ?? "application/json";
  return { status: response.status, type, body: await response.text() };
}

function answer(response: ServerResponse, { status, type, body, retryAfter }: Forwarded): void {
  response.writeHead(status, { "content-type": type, ...(retryAfter && { "retry-after": retryAfter }) });
  response.end(body);
}
