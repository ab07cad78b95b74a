import type { Vector } from "./channels/channel-under-eval.ts";
import { CHANNELS_UNDER_EVAL } from "./channels/index.ts";
import { handle, openContext } from "./channels/open.ts";

/** A file of vectors. `documents` are what a channel finds at which address. */
export interface VectorFile {
  documents?: Record<string, Record<string, { json?: unknown; status?: number }>>;
  vectors: (Vector & { unsure?: boolean })[];
}

/** What came of a vector, in the form of the scorer. */
export interface Dumped {
  scheme: string;
  variant?: string;
  name: string;
  status: number;
  kind: "messages" | "answered" | "refused" | "not run";
  contentType: string;
  body: string;
  messages: { id: string; senderId: string; text: string }[];
}

const WEBHOOK = "https://agent.example.com/channels/any/default/webhook";
/** For vectors without a clock of their own. */
const SOME_TIME_SEC = 1_767_225_600;

/** Sends each vector to its channel, and reads what came of it. */
export async function runVectors({ vectors, documents = {} }: VectorFile) {
  const results: { vector: VectorFile["vectors"][number]; dumped: Dumped }[] = [];
  for (const vector of vectors) results.push({ vector, dumped: await runVector(vector, documents) });
  return results;
}

async function runVector(vector: Vector, documents: NonNullable<VectorFile["documents"]>): Promise<Dumped> {
  const { scheme, variant, name } = vector;
  const head = { scheme, ...(variant !== undefined && { variant }), name };
  const under = CHANNELS_UNDER_EVAL.find(({ schemes }) => schemes.includes(scheme));
  if (under === undefined) return { ...head, status: 0, kind: "not run", contentType: "", body: "", messages: [] };
  const found = documents[vector.documents ?? ""] ?? {};
  const context = openContext(under, under.forVector(vector), {
    now: (vector.verify_at_unix ?? SOME_TIME_SEC) * 1000,
    fetch: (request) => {
      const document = found[request.url];
      return document && Response.json(document.json ?? {}, { status: document.status ?? 200 });
    },
  });
  const request = under.request?.(vector, WEBHOOK) ?? requestOf(vector);
  const { response, events, kind } = await handle(under, request, context);
  const messages = events.flatMap((event) =>
    event.kind === "message" ? [{ id: event.messageId, senderId: event.sender.id, text: event.text }] : [],
  );
  const contentType = response.headers.get("Content-Type") ?? "";
  return { ...head, status: response.status, kind, contentType, body: await response.text(), messages };
}

/** The request that a vector's own fields make. */
export function requestOf({
  method = "POST",
  url = WEBHOOK,
  headers = {},
  body,
  body_base64,
  params,
}: Vector): Request {
  const form = params && new URLSearchParams(params).toString();
  const content = body_base64 === undefined ? (body ?? form) : Buffer.from(body_base64, "base64");
  const isForm = body_base64 === undefined && body === undefined && form !== undefined;
  const type = isForm ? { "content-type": "application/x-www-form-urlencoded" } : {};
  const hasBody = method !== "GET" && content !== undefined;
  return new Request(url, { method, headers: { ...type, ...headers }, ...(hasBody && { body: content }) });
}

/** Why a result is not what the vector expects; empty where it is. */
export function judgeVector(vector: Vector, got: Dumped): string {
  if (got.kind === "not run") return "no channel has this scheme";
  return vector.expect === undefined ? judgeValidity(vector, got) : judgeExpectation(vector.expect, got);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The older form: whether it is valid, and at most a status and a body. */
function judgeValidity(vector: Vector, { status, body }: Dumped): string {
  const { valid, expect_status: wanted, expect_body: exact, expect_response_contains: part } = vector;
  if (wanted !== undefined && status !== wanted) return `status ${status}`;
  if (valid === false) return isSuccess(status) ? `accepted with ${status}` : "";
  if (valid === true && (status === 401 || status === 403)) return `refused with ${status}`;
  if (valid === null && !isSuccess(status)) return `status ${status}`;
  if (exact !== undefined && !isSameText(body, exact)) return `body ${body}`;
  return part !== undefined && !body.includes(part) ? `body ${body}` : "";
}

function judgeExpectation(expect: NonNullable<Vector["expect"]>, got: Dumped): string {
  const { status, body, contentType, messages } = got;
  const [first] = messages;
  switch (expect.kind) {
    case "refused": {
      const isWanted = [expect.status].flat().includes(status);
      return isWanted ? (messages.length > 0 ? "refused, and a message came of it" : "") : `status ${status}`;
    }
    case "verified":
      if (status === 401 || status === 403 || status >= 500) return `status ${status}`;
      break;
    case "no-expansion":
      return status >= 500 || messages.some(({ text }) => text.length > 100) ? `status ${status}, or expanded` : "";
    default:
      if (!isSuccess(status)) return `status ${status}`;
  }
  if (expect.kind === "messages") {
    if (messages.length !== expect.messages) return `${messages.length} messages`;
    if (expect.text !== undefined && first?.text.trim() !== String(expect.text).trim()) return `text ${first?.text}`;
    if (expect.text_includes !== undefined && !first?.text.includes(String(expect.text_includes))) return "text";
    if (expect.sender !== undefined && first?.senderId !== expect.sender) return `sender ${first?.senderId}`;
    if (expect.id !== undefined && first?.id !== expect.id) return `id ${first?.id}`;
  }
  if (expect.kind === "answered" && messages.length > 0) return "a message came of it";
  if (expect.body !== undefined && body !== expect.body) return `body ${body}`;
  if (expect.body_json !== undefined && !isSameText(body, JSON.stringify(expect.body_json))) return `body ${body}`;
  if (Array.isArray(expect.body_any) && !expect.body_any.some((one) => isSameText(body, asText(one)))) {
    return `body ${body}`;
  }
  const type = expect.content_type;
  return type !== undefined && !contentType.startsWith(String(type)) ? `content type ${contentType}` : "";
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether two bodies are the same text, or the same JSON. */
function isSameText(one: string, other: string): boolean {
  return one === other || JSON.stringify(parsed(one)) === JSON.stringify(parsed(other));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
