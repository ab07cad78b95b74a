import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, listen } from "./listen.ts";
import { MP3, OGG, PNG } from "./media-bytes.ts";

/** What a model answers its next request with, in place of the usual answer; the last one repeats. */
export interface MediaAnswer {
  /** What a recording says. */
  text?: string;
  /** The length of a recording, told as OpenAI's whisper-1 does. */
  seconds?: number;
  /** Tokens, told as OpenAI's newer models do. */
  tokens?: { input: number; output: number };
  /** The speech or the picture, in base64. */
  base64?: string;
  /** Pictures are given as addresses. */
  byAddress?: boolean;
  status?: number;
  body?: unknown;
  hang?: boolean;
}

/** A request as it came in. Files of a form are `{name, type, base64}`. */
export interface MediaRequest {
  path: string;
  headers: Record<string, string>;
  fields: Record<string, any>;
}

interface Scenario {
  answers: MediaAnswer[];
  next: number;
  requests: MediaRequest[];
}

/** The extensions that OpenAI knows a recording by. */
const AUDIO = /\.(?:flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/;

/**
 * Starts a provider with OpenAI's paths for audio and images on loopback. The model of a request names its scenario:
 * `PUT <url>/control/<model>` takes `{answers}`, `GET <url>/control/<model>` gives the requests since. Requests are
 * checked as OpenAI documents them.
 */
export async function startMediaServer({ port = 0 }: { port?: number } = {}): Promise<LocalServer> {
  const scenarios = new Map<string, Scenario>();

  function scenarioOf(name: string): Scenario {
    const scenario = scenarios.get(name) ?? { answers: [], next: 0, requests: [] };
    scenarios.set(name, scenario);
    return scenario;
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, first = "", ...rest] = decodeURIComponent(request.url ?? "/").split("/");
    const path = rest.join("/");
    if (first === "control") {
      if (request.method !== "PUT") return send(response, 200, scenarioOf(path).requests);
      const { answers } = JSON.parse((await bytesOf(request)).toString());
      scenarios.set(path, { answers, next: 0, requests: [] });
      return send(response, 204);
    }
    if (first === "pictures") {
      response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from(PNG, "base64"));
      return;
    }
    const give = PATHS.get(path);
    if (first !== "v1" || request.method !== "POST" || give === undefined) {
      return refuse(response, 404, `Invalid URL (${request.method} ${request.url})`);
    }
    const fields = await fieldsOf(request);
    const scenario = scenarioOf(String(fields.model));
    scenario.requests.push({ path, headers: request.headers as Record<string, string>, fields });
    const answer = scenario.answers[Math.min(scenario.next++, scenario.answers.length - 1)] ?? {};
    if (answer.hang) return;
    if (answer.status !== undefined) return send(response, answer.status, answer.body ?? {});
    give(fields, answer, response, `http://${request.headers.host}`);
  }

  return listen((request, response) => {
    route(request, response).catch((error: unknown) => response.destroy(error as Error));
  }, port);
}

type Give = (fields: MediaRequest["fields"], answer: MediaAnswer, response: ServerResponse, origin: string) => void;

const PATHS = new Map<string, Give>([
  [
    "audio/transcriptions",
    ({ file, response_format: format = "json" }, { text = "Words.", seconds, tokens }, response) => {
      if (!AUDIO.test(file?.name ?? "")) return refuse(response, 400, `Invalid file format: ${file?.name}.`);
      if (format !== "json") return refuse(response, 400, "This server answers in JSON.");
      const usage =
        tokens === undefined
          ? seconds !== undefined && { usage: { type: "duration", seconds } }
          : { usage: { type: "tokens", input_tokens: tokens.input, output_tokens: tokens.output } };
      return send(response, 200, { text, ...usage });
    },
  ],
  [
    "audio/speech",
    ({ input, voice, response_format: format = "mp3" }, { base64 }, response) => {
      if (typeof input !== "string" || input === "" || typeof voice !== "string") {
        return refuse(response, 400, "Missing required parameter: 'input' or 'voice'.");
      }
      const bytes = base64 ?? (format === "opus" ? OGG : MP3);
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(Buffer.from(bytes, "base64"));
    },
  ],
  [
    "images/generations",
    ({ model: _, prompt, n = 1, size, ...unknown }, { base64 = PNG, byAddress, tokens }, response, origin) => {
      const [stray] = Object.keys(unknown);
      if (stray !== undefined) return refuse(response, 400, `Unknown parameter: '${stray}'.`);
      if (typeof prompt !== "string") return refuse(response, 400, "Missing required parameter: 'prompt'.");
      if (size !== undefined && !/^\d+x\d+$/.test(size)) return refuse(response, 400, `Invalid value: '${size}'.`);
      const data = Array.from({ length: n }, (_, at) =>
        byAddress ? { url: `${origin}/pictures/${at}.png` } : { b64_json: base64 },
      );
      const usage = tokens && { usage: { input_tokens: tokens.input, output_tokens: tokens.output } };
      send(response, 200, { created: 1_780_000_000, data, ...usage });
    },
  ],
]);

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, status, { error: { message, type: "invalid_request_error", param: null, code: null } });
}

async function fieldsOf(request: IncomingMessage): Promise<MediaRequest["fields"]> {
  const type = request.headers["content-type"] ?? "";
  const bytes = await bytesOf(request);
  if (!type.startsWith("multipart/form-data")) return JSON.parse(bytes.toString());
  const form = await new Response(new Uint8Array(bytes), { headers: { "Content-Type": type } }).formData();
  const fields: MediaRequest["fields"] = {};
  for (const [name, value] of form) {
    if (typeof value === "string") fields[name] = value;
    else {
      const base64 = Buffer.from(await value.arrayBuffer()).toString("base64");
      fields[name] = { name: value.name, type: value.type, base64 };
    }
  }
  return fields;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
