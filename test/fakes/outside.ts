import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, listen } from "./listen.ts";

/** What a test says that a path answers with. */
export interface OutsideAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Text; or bytes in base64 where `base64` is set. */
  body?: string;
  base64?: boolean;
  /** So many bytes of nothing, sent bit by bit, without saying how many. */
  bytes?: number;
  /** Answers with the request itself: its line, headers and body. */
  echo?: boolean;
  /** Answers as OpenAI's embeddings do, with vectors of so many dimensions; 400 where a text has that word in it. */
  embeds?: { dimensions: number; refuses?: string };
  /** Never ends: after its head, or without one. */
  hang?: "head" | "body";
}

/** One request that came in. */
export interface OutsideRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Starts the server that stands for all that is outside. Each place of a test is a first segment of its own: `PUT /control/<place>` takes `{answers}`, by what follows it in the
 * path, with the query; `GET /control/<place>` gives the requests that came. What has no answer is a 404.
 */
export async function startOutside({ port = 0 }: { port?: number } = {}): Promise<LocalServer> {
  const places = new Map<string, { answers: Record<string, OutsideAnswer>; requests: OutsideRequest[] }>();
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const [, first = "", ...rest] = (request.url ?? "/").split("/");
    const name = first === "control" ? (rest[0] ?? "") : first;
    const place = places.get(name) ?? { answers: {}, requests: [] };
    places.set(name, place);
    if (first === "control") {
      if (request.method === "PUT") place.answers = JSON.parse(body).answers;
      response.end(JSON.stringify(place.requests));
      return;
    }
    const path = rest.join("/");
    const heard = { method: request.method ?? "", path, headers: request.headers as Record<string, string>, body };
    place.requests.push(heard);
    await give(place.answers[path] ?? { status: 404, body: "Not found" }, heard, response);
  }
  return listen((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  }, port);
}

async function give(answer: OutsideAnswer, heard: OutsideRequest, response: ServerResponse): Promise<void> {
  if (answer.hang === "head") return;
  if (answer.embeds) {
    const { status, body } = embeddingsOf(heard.body, answer.embeds);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers);
  if (answer.hang === "body") {
    response.write("…");
    return;
  }
  for (let left = answer.bytes ?? 0; left > 0 && !response.destroyed; left -= 65_536) {
    response.write(Buffer.alloc(Math.min(left, 65_536)));
    await new Promise((next) => setImmediate(next));
  }
  if (answer.echo) response.end(echoOf(heard));
  else response.end(Buffer.from(answer.body ?? "", answer.base64 ? "base64" : "utf8"));
}

/** Texts with the same letters have the same vector, the last text first, as the protocol allows. */
function embeddingsOf(asked: string, { dimensions, refuses }: NonNullable<OutsideAnswer["embeds"]>) {
  const texts: string[] = JSON.parse(asked).input;
  if (refuses !== undefined && texts.some((text) => text.includes(refuses))) {
    return { status: 400, body: { error: { message: `'${refuses}' is not allowed`, type: "invalid_request_error" } } };
  }
  const data = texts.map((text, index) => {
    const embedding = new Array<number>(dimensions).fill(0);
    for (const letter of text) embedding[(letter.codePointAt(0) ?? 0) % dimensions]! += 1;
    return { object: "embedding", index, embedding };
  });
  return { status: 200, body: { object: "list", data: data.reverse() } };
}

function echoOf({ method, path, headers, body }: OutsideRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} /${path}`, ...lines, "", body].join("\n");
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
