import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, InMemoryServerEventBus, Server } from "@modelcontextprotocol/server";
import { type LocalServer, listen } from "./listen.ts";
import { type OAuthPlace, OAuthServer } from "./oauth-server.ts";

/** How a server of a test behaves. */
export interface McpPlace {
  tools: McpTool[];
  /** It has resources if there are some. */
  resources?: McpResource[];
  /** How many of them a page of their list has; all if absent. */
  resourcesPerPage?: number;
  /** Needed as `Authorization`; without it the answer is 401. */
  authorization?: string;
  /** Wants a token of its own authorization server, `<place>/as`. */
  oauth?: OAuthPlace;
  /** Answers nothing: at all, or to calls of tools. */
  hangs?: "always" | "calls";
  /** The calls of tools end in the middle of a stream. */
  breaksOff?: boolean;
  /** Speaks only the older HTTP with SSE. */
  isOld?: boolean;
  /** Knows no MCP. */
  isPage?: boolean;
}

export interface McpTool {
  name: string;
  description?: string;
  inputSchema?: object;
  annotations?: object;
  /** What a call gives; the arguments as text if absent. */
  gives?: { content: object[]; isError?: boolean };
  /** Gives a text of so many characters. */
  chars?: number;
  /** Says during a call that the list of tools has changed. */
  changes?: boolean;
  /** Asks the person first, and gives nothing without an answer; with one it gives that. */
  asks?: string;
  /** Asks this after every answer, under the name of the first question. */
  asksOn?: string;
}

/** A resource, with a text or a blob in base64. */
export interface McpResource {
  uri: string;
  name: string;
  description?: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/** A request that came in: its path, its headers, and its JSON. */
export interface McpRequest {
  method: string;
  headers: Record<string, string>;
  body: any;
}

interface Kept extends McpPlace {
  requests: McpRequest[];
  /** Brings what changes to those who listen. */
  bus: InMemoryServerEventBus;
}

/**
 * Starts the servers of MCP, by the official SDK. Each place of a test is a first segment of its own: `PUT
 * /control/<place>` takes how it behaves, `GET /control/<place>` gives the requests that came. `GET /oauth/<place>` gives
 * what its authorization server has done, and `DELETE /oauth/<place>?all=` ends its access tokens, or all of them.
 */
export async function startMcpServer({ port = 0 }: { port?: number } = {}): Promise<LocalServer> {
  const places = new Map<string, Kept>();
  const streams = new Map<string, ServerResponse>();
  const oauthServers = new Map<string, OAuthServer>();
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const [, first = "", second = ""] = (request.url ?? "/").split(/[/?]/);
    if (first === "control") {
      if (request.method === "PUT")
        places.set(second, {
          ...JSON.parse(body),
          requests: places.get(second)?.requests ?? [],
          bus: places.get(second)?.bus ?? new InMemoryServerEventBus(),
        });
      response.end(JSON.stringify(places.get(second)?.requests ?? []));
      return;
    }
    const place = places.get(first);
    const oauth = place?.oauth && (oauthServers.get(first) ?? new OAuthServer(`http://${request.headers.host}`, first));
    if (oauth !== undefined) oauthServers.set(first, Object.assign(oauth, { behaviour: place?.oauth }));
    if (first === "oauth" || first === ".well-known" || second === "as") {
      answerOAuth(oauthServers, request, body, response);
      return;
    }
    const json = body === "" ? undefined : JSON.parse(body);
    place?.requests.push({
      method: request.method ?? "",
      headers: request.headers as Record<string, string>,
      body: json,
    });
    if (place === undefined) response.writeHead(404).end("Not found");
    else if (place.isPage) response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
    else if (place.authorization !== undefined && request.headers.authorization !== place.authorization)
      response.writeHead(401, { "www-authenticate": 'Bearer realm="mcp"' }).end();
    else if (oauth !== undefined && !oauth.lets(request.headers.authorization, response)) return;
    else if (place.hangs === "always" || (place.hangs === "calls" && json?.method === "tools/call")) return;
    else if (place.breaksOff && json?.method === "tools/call")
      response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing comes\n\n");
    else if (place.isOld) await oldTransport(place, { name: first, json }, request, response, streams);
    else
      await send(
        await createMcpHandler(() => serverOf(place), { bus: place.bus }).fetch(asRequest(request, body)),
        response,
      );
  }
  return listen((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  }, port);
}

function answerOAuth(
  servers: Map<string, OAuthServer>,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const [, first, second = "", third = "", fourth] = (request.url ?? "/").split(/[/?]/);
  const answer = (json: object) => response.setHeader("content-type", "application/json").end(JSON.stringify(json));
  const server = servers.get(first === ".well-known" ? third : first === "oauth" ? second : (first ?? ""));
  if (server === undefined) response.writeHead(404).end();
  else if (first === "oauth") {
    if (request.method === "DELETE") server.end(third.startsWith("all"));
    answer(server.log);
  } else if (first !== ".well-known") server.handle(third, request, body, response);
  else if (second === "oauth-protected-resource") answer(server.resourceMetadata());
  else if (second === "oauth-authorization-server" && fourth === "as") answer(server.metadata());
  else response.writeHead(404).end();
}

function serverOf({ tools, resources, resourcesPerPage = Number.POSITIVE_INFINITY, bus }: Kept): Server {
  const server = new Server(
    { name: "lantern house", version: "1.2" },
    { capabilities: { tools: { listChanged: true }, ...(resources && { resources: {} }) } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(listed) }) as never);
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    if (tools.some(({ name, changes }) => changes && name === params.name)) bus.publish({ kind: "tools_list_changed" });
    return resultOf(tools, params, mcpReq.inputResponses as never) as never;
  });
  if (resources !== undefined) {
    const about = ({ text: _, blob: __, ...rest }: McpResource) => rest;
    server.setRequestHandler("resources/list", ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const end = from + resourcesPerPage;
      const more = end < resources.length && { nextCursor: String(end) };
      return { resources: resources.slice(from, end).map(about), ...more } as never;
    });
    server.setRequestHandler("resources/templates/list", () => TEMPLATES as never);
    server.setRequestHandler("resources/read", ({ params: { uri } }) => {
      const found = resources.filter((resource) => resource.uri === uri);
      if (found.length === 0) throw new Error(`no resource ${uri}`);
      return { contents: found.map(({ name: _, description: __, ...content }) => content) } as never;
    });
  }
  return server;
}

const TEMPLATES = { resourceTemplates: [{ uriTemplate: "pier://{number}", name: "One pier" }] };

function listed({ name, description, inputSchema = { type: "object" }, annotations }: McpTool): object {
  return { name, description, inputSchema, annotations };
}

function resultOf(
  tools: McpTool[],
  { name, arguments: args }: { name: string; arguments?: object | undefined },
  answers?: Record<string, Answer>,
): object {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return { content: [{ type: "text", text: `no tool ${name}` }], isError: true };
  if (tool.asks !== undefined) {
    if (answers?.word === undefined) return questionOf(tool.asks);
    return tool.asksOn === undefined ? toldWord(answers.word) : questionOf(tool.asksOn);
  }
  const text = tool.chars === undefined ? JSON.stringify(args) : "x".repeat(tool.chars);
  return tool.gives ?? { content: [{ type: "text", text }] };
}

/** What a person answered to a question. */
interface Answer {
  action?: string;
  content?: object;
}

/** An elicitation, as the revision without sessions has it. */
function questionOf(message: string): object {
  return {
    resultType: "input_required",
    inputRequests: { word: { method: "elicitation/create", params: formOf(message) } },
  };
}

function formOf(message: string): object {
  return { mode: "form", message, requestedSchema: { type: "object", properties: { word: { type: "string" } } } };
}

/** What a tool gives that has its answer, or has none. */
function toldWord({ action, content }: Answer): object {
  const text = action === "accept" ? `The word is ${JSON.stringify(content)}.` : `No word: ${action}.`;
  return { content: [{ type: "text", text }] };
}

/** HTTP with SSE, of the revision 2024-11-05: a GET is the stream of answers, a POST is a request. */
async function oldTransport(
  place: McpPlace,
  { name, json }: { name: string; json: any },
  request: IncomingMessage,
  response: ServerResponse,
  streams: Map<string, ServerResponse>,
): Promise<void> {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: endpoint\ndata: /${name}/messages?session=1\n\n`);
    streams.set(name, response);
    return;
  }
  if (!request.url?.includes("/messages")) {
    response.writeHead(405).end();
    return;
  }
  response.writeHead(202).end();
  const { id, method, params, result: answered } = json;
  const send = (message: object) =>
    streams.get(name)?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const asking = place.tools.find(({ asks }) => asks !== undefined);
  if (method === "tools/call" && params.name === asking?.name) {
    send({ id: `asks-${id}`, method: "elicitation/create", params: formOf(asking?.asks ?? "") });
    return;
  }
  if (answered !== undefined) {
    send({ id: Number(String(id).slice("asks-".length)), result: toldWord(answered) });
    return;
  }
  const results: Record<string, () => object> = {
    initialize: () => ({
      ...{ protocolVersion: "2024-11-05", capabilities: { tools: { listChanged: true } } },
      serverInfo: { name: "old house", version: "0.1" },
    }),
    "tools/list": () => ({ tools: place.tools.map(listed) }),
    "tools/call": () => resultOf(place.tools, params),
  };
  const result = results[method]?.();
  if (method === "tools/call" && place.tools.some(({ changes }) => changes))
    send({ method: "notifications/tools/list_changed" });
  if (id !== undefined && result !== undefined) send({ id, result });
}

function asRequest({ method = "GET", url = "/", headers }: IncomingMessage, body: string): Request {
  const own = Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  return new Request(`http://127.0.0.1${url}`, {
    method,
    headers: own as [string, string][],
    ...(body !== "" && { body }),
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
