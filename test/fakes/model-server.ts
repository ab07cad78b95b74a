import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { serveFixture } from "./fixtures.ts";
import { type LocalServer, listen } from "./listen.ts";
import { asSummary, type Format, render, type ScriptedReply } from "./model-script.ts";

/** A request to a model as it arrived. */
export interface RecordedRequest {
  /** Milliseconds since the epoch, with fractions, when its head was read. */
  at: number;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  /** True once the client has hung up before it had the whole answer. */
  hungUp: boolean;
}

interface Scenario {
  replies: ScriptedReply[];
  next: number;
  requests: { at: number; path: string; headers: IncomingMessage["headers"]; body: Buffer; hungUp: boolean }[];
}

const FORMATS = new Map<string, Format>([
  ["chat/completions", "completions"],
  ["responses", "responses"],
  ["messages", "messages"],
]);

/** What a request for a summary ends with. */
const SUMMARY_ORDER = "Answer with the summary alone.";
const MAX_RECORDED = 1_000;

/**
 * Starts a model provider on loopback that speaks Chat Completions, Responses and Messages.
 *
 * The base URL of a scenario is `<url>/s/<scenario>/v1`; under `<url>/v1` the model of a request names it. `PUT <url>/control/<scenario>` with `{replies}` says what it
 * answers, in order, the last one repeating; `GET <url>/control/<scenario>/requests` gives the last 1,000 requests since.
 * A scenario that was told nothing answers "ok" at once, from bytes made beforehand.
 */
export async function startModelServer({ port = 0 }: { port?: number } = {}): Promise<LocalServer> {
  const scenarios = new Map<string, Scenario>();
  const ready = new Map(
    [...FORMATS.values()].map((format) => [format, Buffer.from(render(format, { text: "ok" }, 0).join(""))]),
  );
  const steady = new WeakMap<ScriptedReply, Buffer[]>();
  const stopping = new AbortController();
  let serial = 0;

  function scenarioOf(name: string): Scenario {
    let scenario = scenarios.get(name);
    if (scenario === undefined) {
      scenario = { replies: [], next: 0, requests: [] };
      scenarios.set(name, scenario);
    }
    return scenario;
  }

  /** @param name the scenario; undefined where the request's model names it */
  async function answer(
    name: string | undefined,
    format: Format,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const at = performance.timeOrigin + performance.now();
    const body = await bodyOf(request);
    const scenario = scenarioOf(name ?? JSON.parse(body.toString()).model);
    const recorded = { at, path, headers: request.headers, body, hungUp: false };
    response.on("close", () => {
      recorded.hungUp = !response.writableFinished;
    });
    if (scenario.requests.push(recorded) > MAX_RECORDED) scenario.requests.shift();
    const scripted = scenario.replies[Math.min(scenario.next++, scenario.replies.length - 1)];
    const reply = scripted && body.includes(SUMMARY_ORDER) ? asSummary(scripted) : scripted;
    if (reply === undefined) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(ready.get(format));
    } else await play(reply, format, serial++, response);
  }

  async function play(reply: ScriptedReply, format: Format, number: number, response: ServerResponse) {
    if (reply.hang) return;
    if (reply.delayMs) await sleep(reply.delayMs, undefined, { signal: stopping.signal, ref: false });
    if (reply.status !== undefined) {
      const body = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(body);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
    let left = reply.cutAfterBytes ?? Number.POSITIVE_INFINITY;
    const writes = steady.get(reply) ?? writesOf(reply, format, number);
    if (reply.steady) steady.set(reply, writes);
    for (const [index, bytes] of writes.entries()) {
      if (index === reply.hangAfterChunks) return;
      if (index > 0 && reply.gapMs) await sleep(reply.gapMs, undefined, { signal: stopping.signal, ref: false });
      if (index > 0 && reply.steady) await turn();
      if (response.destroyed) return;
      await new Promise<void>((written) =>
        response.write(bytes.subarray(0, Math.min(bytes.length, left)), () => written()),
      );
      left -= bytes.length;
      if (left <= 0) {
        response.destroy();
        return;
      }
    }
    response.end();
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, place, name = "", ...rest] = decodeURIComponent(request.url ?? "/").split("/");
    const byModel = place === "v1" ? FORMATS.get([name, ...rest].join("/")) : undefined;
    const format = place === "s" && rest[0] === "v1" ? FORMATS.get(rest.slice(1).join("/")) : undefined;
    if (request.method === "POST" && byModel !== undefined) {
      await answer(undefined, byModel, ["v1", name, ...rest].join("/"), request, response);
    } else if (request.method === "POST" && format !== undefined) {
      await answer(name, format, rest.join("/"), request, response);
    } else if (place === "control" && request.method === "PUT") {
      const { replies = [] } = JSON.parse((await bodyOf(request)).toString());
      scenarios.set(name, { replies, next: 0, requests: [] });
      send(response, 204);
    } else if (place === "control" && rest[0] === "requests") {
      send(
        response,
        200,
        scenarioOf(name).requests.map((recorded) => ({ ...recorded, body: readable(recorded.body) })),
      );
    } else if (place === "fixtures" && request.method === "GET") {
      await serveFixture([name, ...rest].join("/"), response);
    } else send(response, 404, { error: { message: `no ${request.method} ${request.url}` } });
  }

  const server = await listen((request, response) => {
    route(request, response).catch((error: unknown) => {
      if (response.headersSent || stopping.signal.aborted) response.destroy();
      else send(response, 500, { error: { message: String(error) } });
    });
  }, port);
  return {
    ...server,
    close() {
      stopping.abort();
      return server.close();
    },
  };
}

function writesOf(reply: ScriptedReply, format: Format, serial: number): Buffer[] {
  const chunks = render(format, reply, serial)
    .slice(0, reply.endAfterChunks)
    .map((chunk) => Buffer.from(chunk));
  return reply.sliceBytes ? slices(Buffer.concat(chunks), reply.sliceBytes) : chunks;
}

function slices(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readable(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

if (import.meta.main) {
  const { url } = await startModelServer({ port: Number(process.argv[2] ?? 0) });
  console.log(url);
}
