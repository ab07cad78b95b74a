import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, listen } from "../listen.ts";
import type { FakeAnswer, PlatformCall, ScriptedPlatformAnswer } from "./fake-platform.ts";
import { FAKE_PLATFORMS } from "./index.ts";

interface Place {
  calls: PlatformCall[];
  script: ScriptedPlatformAnswer[];
  memory: Record<string, unknown>;
}

/**
 * Starts the server of all platforms. Each test has places of its own: a channel calls `/<platform>/<place>/…`.
 * `GET /control/<platform>/<place>` answers what was called there, and `PUT` takes `{script?, memory?}`; what is
 * remembered is added to the place's memory.
 */
export async function startPlatforms({ port = 0 }: { port?: number } = {}): Promise<LocalServer> {
  const places = new Map<string, Place>();
  const placeAt = (platform: string, name: string): Place => {
    const key = `${platform}/${name}`;
    const place = places.get(key) ?? { calls: [], script: [], memory: {} };
    places.set(key, place);
    return place;
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, first = "", second = "", third = "", ...rest] = (request.url ?? "/").split("/");
    if (first === "control") {
      const place = placeAt(second, third);
      const { script, memory } = JSON.parse((await bytesOf(request)).toString() || "{}");
      if (script !== undefined) place.script = script;
      Object.assign(place.memory, memory);
      return give({ body: place.calls }, response);
    }
    const address = `http://${request.headers.host}/${first}/${second}`;
    await take(first, placeAt(first, second), { address, path: [third, ...rest].join("/") }, request, response);
  }
  return listen((request, response) => {
    handle(request, response).catch((error: unknown) =>
      give({ status: 500, body: { error: String(error) } }, response),
    );
  }, port);
}

async function take(
  platform: string,
  place: Place,
  { address, path }: { address: string; path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = await readCall(address, path, request);
  const at = place.script.findIndex(
    ({ path: part = "", holds = "" }) => path.includes(part) && call.body.includes(holds),
  );
  const [scripted] = at === -1 ? [] : place.script.splice(at, 1);
  if (scripted?.cut === "before") return void request.socket.destroy();
  place.calls.push(call);
  const usual = FAKE_PLATFORMS.find(({ name }) => name === platform);
  // A request whose answer is lost was carried out.
  const isTaken = scripted === undefined || scripted.cut === "after" || scripted.hang;
  const answer = isTaken ? usual?.answer(call, place.memory) : undefined;
  if (scripted?.cut === "after") return void request.socket.destroy();
  if (scripted?.hang) return;
  give(scripted ?? answer ?? { status: 404, body: { error: "not_found" } }, response);
}

function give({ status = 200, headers = {}, body = {} }: FakeAnswer, response: ServerResponse): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "Content-Type": isText ? "text/plain" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

async function readCall(place: string, path: string, request: IncomingMessage): Promise<PlatformCall> {
  const bytes = await bytesOf(request);
  const headers = request.headers as Record<string, string>;
  const type = headers["content-type"] ?? "";
  const head = { method: request.method ?? "", place, path, headers };
  if (/multipart\/form-data|x-www-form-urlencoded/.test(type)) {
    const form = await new Response(new Uint8Array(bytes), { headers: { "Content-Type": type } }).formData();
    const fields = Object.fromEntries(
      [...form].map(([name, value]) => [
        name,
        typeof value === "string" ? value : { name: value.name, type: value.type, size: value.size },
      ]),
    );
    return { ...head, body: type.startsWith("multipart") ? "" : bytes.toString(), fields };
  }
  const body = bytes.toString();
  return { ...head, body, fields: type.includes("json") && body !== "" ? JSON.parse(body) : {} };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
