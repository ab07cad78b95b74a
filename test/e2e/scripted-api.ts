import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex, Writable } from "node:stream";
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { isEphemeral, isLast } from "../../src/agent/events.ts";
import type { Decision, HistoryMessage, Prompt, Run } from "../../src/client/wire.ts";
import { NO_USAGE } from "../../src/models/message.ts";
import { ScriptedRun } from "./scripted-run.ts";
import type { Asked } from "./scripted-skills.ts";
import { acceptSocket } from "./text-socket.ts";

export const TOKEN = "scripted-token";
const PAGE = new URL("../../dist/web/", import.meta.url);
const TYPES: Record<string, string> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
};

/** What the agent does about a message: a play that tests write. */
export type Script = (run: ScriptedRun) => Promise<void>;

/** Who is told what comes after the last event that they were told, of the session or of one run. */
interface Reader {
  after: number;
  runId?: string;
  tell(events: AgentEvent[]): void;
}

/** One session of Isopod's HTTP API whose agent follows a script, with the faults of a network at hand. */
export class ScriptedApi {
  script: Script = async (run) => run.answer(`You said: ${run.text}`);
  /** Which messages are accepted and wait. */
  waits: (text: string) => boolean = () => false;
  model = "offline/rules";
  /** What looking at a path answers that ends in `/prompt` or `/context`. */
  prompts: (path: string) => Prompt | undefined = () => undefined;
  /** What other requests are answered with. */
  others: (asked: Asked) => { status: number; body: unknown } | undefined = () => undefined;
  /** Runs that were started, by idempotency key. */
  readonly accepted = new Map<string, string>();
  /** Every request to post a message, repeated ones too. */
  posts = 0;
  #down = false;
  #losesAnswers = 0;
  #seq = 0;
  #runs = new Map<string, Run>();
  #aborts = new Map<string, AbortController>();
  #questions = new Map<string, (decision: Decision) => void>();
  #log: AgentEvent[] = [];
  #connections = new Set<Writable>();
  #readers = new Set<Reader>();
  #signedIn = new Set<string>();
  #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#route(request, response).catch((error) => response.destroy(error));
    });
    this.#server.on("upgrade", (request, socket) => this.#upgrade(request, socket));
  }

  static async start(): Promise<ScriptedApi> {
    const api = new ScriptedApi();
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The transcript as the server has it. */
  get transcript(): HistoryMessage[] {
    return this.#log.flatMap((event): HistoryMessage[] => {
      const head = { seq: event.seq, runId: event.runId };
      if (event.type === "lifecycle" && event.phase === "start") return [{ ...event.input, ...head }];
      if (event.type === "queue" && event.phase === "joining") return [{ ...event.input, ...head }];
      if (event.type === "assistant" && event.phase === "message") return [{ ...event.message, ...head }];
      return event.type === "tool" && event.phase === "end" ? [{ ...event.message, ...head }] : [];
    });
  }

  /** Breaks every connection that waits for events. */
  dropReaders(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  /** While down, every connection is cut without an answer. */
  set down(down: boolean) {
    this.#down = down;
    if (down) this.dropReaders();
  }

  /** The next so many messages are accepted, but the answer is lost on its way. */
  loseAnswers(count: number): void {
    this.#losesAnswers = count;
  }

  /** Makes every cookie worthless. */
  forgetLogins(): void {
    this.#signedIn.clear();
    this.dropReaders();
  }

  /** Says something as if it had come in through another channel. */
  async receive(text: string, sender?: { id: string; name?: string; owner: boolean }): Promise<void> {
    await this.#begin(text, sender);
  }

  /** Has a person asked, and gives what they answer. */
  async ask(runId: string, callId: string, tool: string, question: string): Promise<Decision> {
    const approvalId = `apr_${this.#questions.size + 1}`;
    const { promise, resolve } = Promise.withResolvers<Decision>();
    this.#questions.set(approvalId, resolve);
    const approval = { id: approvalId, callId, tool, args: {}, question, requestedAt: Date.now() };
    this.#runs.set(runId, { ...runHead(runId), status: "waiting_approval", approvals: [approval] });
    this.emit(runId, { type: "approval", phase: "requested", approvalId, callId, tool, args: {}, question });
    const decision = await promise;
    this.#runs.set(runId, { ...runHead(runId), status: "running" });
    this.emit(runId, { type: "approval", phase: "decided", approvalId, decision });
    return decision;
  }

  async stop(): Promise<void> {
    for (const abort of this.#aborts.values()) abort.abort();
    this.dropReaders();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  emit(runId: string, body: EventBody): void {
    const event: AgentEvent = { ...body, runId, seq: ++this.#seq, ts: Date.now() };
    this.#log.push(event);
    for (const reader of this.#readers) this.#push(reader);
    const isWhole = event.type !== "lifecycle" && !isEphemeral(event) && event.phase !== "start";
    if (isWhole) this.#log = this.#log.filter((past) => past.runId !== runId || !isEphemeral(past));
  }

  async #begin(text: string, sender?: { id: string; name?: string; owner: boolean }): Promise<string> {
    const runId = `run_${this.#runs.size + 1}`;
    const abort = new AbortController();
    this.#aborts.set(runId, abort);
    this.#runs.set(runId, { ...runHead(runId), status: "running" });
    const input = { id: `msg_${runId}`, at: Date.now(), role: "user" as const, text, ...(sender && { sender }) };
    if (this.waits(text)) {
      this.emit(runId, { type: "queue", phase: "waiting", ahead: 1 });
      return runId;
    }
    const run = new ScriptedRun(runId, text, abort.signal, (body) => this.emit(runId, body));
    queueMicrotask(async () => {
      this.emit(runId, { type: "lifecycle", phase: "start", input });
      try {
        await this.script(run);
        this.#runs.set(runId, { ...runHead(runId), status: "ok" });
        this.emit(runId, { type: "lifecycle", phase: "end", usage: NO_USAGE });
      } catch (thrown) {
        const code = abort.signal.aborted ? "aborted" : "model_error";
        const error = { code, message: (thrown as Error).message } as const;
        this.#runs.set(runId, { ...runHead(runId), status: code === "aborted" ? "aborted" : "error", error });
        this.emit(runId, { type: "lifecycle", phase: "error", error });
      }
    });
    return runId;
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#down) return void request.socket.destroy();
    const url = new URL(request.url ?? "/", this.url);
    const path = decodeURIComponent(url.pathname);
    if (!path.startsWith("/v1/")) return this.#page(path, response);
    const bytes = await bytesOf(request);
    const asked = {
      ...{ method: request.method ?? "GET", path: decodeURIComponent(`${url.pathname}${url.search}`) },
      ...{ type: request.headers["content-type"] ?? "", bytes },
    };
    const other = this.#knows(request) ? this.others(asked) : undefined;
    if (other !== undefined) return answer(response, other.status, other.body);
    const body = JSON.parse(bytes.toString("utf8") || "{}");
    if (path === "/v1/login") return this.#login(body.token, response);
    if (!this.#knows(request)) return answer(response, 401, refusal("unauthorized", "A valid access token is needed."));
    const runId = /^\/v1\/runs\/([^/]+)/.exec(path)?.[1];
    if (path === "/v1/logout") return answer(response, 204);
    if (path === "/v1/me")
      return answer(response, 200, { agentId: "main", model: this.model, scopes: ["admin"], version: "0" });
    if (path === "/v1/agent") return this.#agent(body, response);
    if (path.endsWith("/history")) return this.#history(url, response);
    if (runId !== undefined && path.endsWith("/events")) return this.#events(url, runId, response);
    if (path.endsWith("/abort")) {
      this.#aborts.get(runId ?? "")?.abort();
      return answer(response, 200, { runId });
    }
    const approvalId = /^\/v1\/approvals\/([^/]+)/.exec(path)?.[1];
    const decide = this.#questions.get(approvalId ?? "");
    if (decide) {
      decide(body.decision);
      return answer(response, 200, body);
    }
    const prompt = this.prompts(path);
    if (prompt !== undefined) return answer(response, 200, prompt);
    const run = path.endsWith("/prompt") ? undefined : this.#runs.get(runId ?? "");
    return run ? answer(response, 200, run) : answer(response, 404, refusal("not_found", `Nothing is at ${path}`));
  }

  async #agent(body: { message: string; idempotencyKey?: string }, response: ServerResponse): Promise<void> {
    this.posts++;
    if (body.message.length > 10_000)
      return answer(response, 413, refusal("payload_too_large", "The body is too large."));
    const key = body.idempotencyKey ?? `key ${this.posts}`;
    const runId = this.accepted.get(key) ?? (await this.#begin(body.message));
    this.accepted.set(key, runId);
    if (this.#losesAnswers > 0) {
      this.#losesAnswers--;
      return void response.destroy();
    }
    answer(response, 202, { runId, sessionKey: "agent:main:main", sessionId: "ses_1", acceptedAt: Date.now() });
  }

  #history(url: URL, response: ServerResponse): void {
    const limit = Number(url.searchParams.get("limit") ?? 50);
    const before = Number(url.searchParams.get("before") ?? Number.POSITIVE_INFINITY);
    const all = this.transcript.filter((message) => message.seq < before);
    const messages = all.slice(-limit);
    const cursor = this.transcript.at(-1)?.seq ?? 0;
    answer(response, 200, { messages, cursor, ...(all.length > limit && { before: messages[0]!.seq }) });
  }

  /** The events of a run, as server-sent ones. */
  #events(url: URL, runId: string, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": open\n\n");
    const tell = (events: AgentEvent[]) => {
      for (const event of events) response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      if (events.some(isLast)) response.end();
    };
    this.#track(response);
    this.#read(response, { after: Number(url.searchParams.get("after") ?? 0), runId, tell });
  }

  /** The events of the session, over a WebSocket. */
  #upgrade(request: IncomingMessage, connection: Duplex): void {
    if (this.#down) return void connection.destroy();
    if (!this.#knows(request)) return void connection.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
    this.#track(connection);
    const socket = acceptSocket(request, connection, (text) => {
      const { type, after } = JSON.parse(text);
      if (type !== "resume") return;
      socket.send(JSON.stringify({ type: "resumed", after }));
      this.#read(connection, { after, tell: (events) => socket.send(JSON.stringify({ type: "events", events })) });
    });
  }

  #track(connection: Writable): void {
    this.#connections.add(connection);
    connection.on("close", () => this.#connections.delete(connection));
  }

  #read(connection: Writable, reader: Reader): void {
    this.#readers.add(reader);
    connection.on("close", () => this.#readers.delete(reader));
    this.#push(reader);
  }

  #push(reader: Reader): void {
    const isNew = (event: AgentEvent) => event.seq > reader.after && [undefined, event.runId].includes(reader.runId);
    const events = this.#log.filter(isNew);
    reader.after = events.at(-1)?.seq ?? reader.after;
    if (events.length > 0) reader.tell(events);
  }

  #login(token: unknown, response: ServerResponse): void {
    if (token === TOKEN) {
      const value = crypto.randomUUID();
      this.#signedIn.add(value);
      response.setHeader("set-cookie", `isopod_login=${value}; HttpOnly; SameSite=Strict; Path=/`);
      answer(response, 204);
    } else {
      answer(response, 401, refusal("unauthorized", "That is not the access token."));
    }
  }

  #knows(request: IncomingMessage): boolean {
    if (request.headers.authorization === `Bearer ${TOKEN}`) return true;
    return this.#signedIn.has(/isopod_login=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "");
  }

  async #page(path: string, response: ServerResponse): Promise<void> {
    const name = path === "/" ? "index.html" : path.slice(1);
    const type = TYPES[name.split(".").at(-1) ?? ""];
    if (type === undefined || name.includes("/"))
      return answer(response, 404, refusal("not_found", "Nothing is here."));
    const lines = (await readFile(new URL("_headers", PAGE), "utf8")).split("\n\n")[0]!.split("\n").slice(1);
    for (const line of lines) {
      const [header, value] = line.trim().split(/: (.*)/s);
      response.setHeader(header!, value!);
    }
    response.setHeader("content-type", type);
    response.end(await readFile(new URL(name, PAGE)));
  }
}

/** What all runs of the session have in common. */
function runHead(runId: string) {
  return { runId, sessionKey: "agent:main:main", sessionId: "ses_1", agentId: "main", acceptedAt: 0, deliveries: [] };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number, body?: unknown): void {
  response.statusCode = status;
  if (body !== undefined) response.setHeader("content-type", "application/json");
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function refusal(code: string, message: string) {
  return { error: { code, message } };
}
