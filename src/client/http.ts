import { isErrorBody } from "./wire.ts";

/** The address of Isopod and the access token; a browser has a cookie instead of the token. */
export interface Server {
  /** Without a trailing slash; empty for the page's own origin. */
  url: string;
  token?: string;
}

/** A request to the API. */
export interface Request {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root, already percent-encoded. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  content?: string | Uint8Array<ArrayBuffer>;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** A refused request, or one without an answer: then `status` is 0 and `code` is `unreachable`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.hint = hint;
  }

  /** Whether the same request may succeed later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/**
 * Sends a request and checks the JSON that comes back.
 * @throws ApiError for a refusal, for a failed connection, and for an answer that `is` does not accept
 */
export async function requestJson<T>(server: Server, request: Request, is: (value: unknown) => value is T): Promise<T> {
  const response = await openResponse(server, request);
  const body = await readJson(response);
  if (!is(body)) throw new ApiError(response.status, "bad_answer", `${request.path} answered in an unknown shape.`);
  return body;
}

/**
 * Sends a request and discards the body of the answer.
 * @throws ApiError for a refusal and for a failed connection
 */
export async function requestOk(server: Server, request: Request): Promise<void> {
  const response = await openResponse(server, request);
  await response.body?.cancel();
}

/**
 * Sends a request and returns the successful response, its body unread.
 * @throws ApiError for a refusal and for a failed connection
 */
export async function openResponse(server: Server, request: Request): Promise<Response> {
  const response = await send(server, request);
  if (response.ok) return response;
  const body = await readJson(response);
  if (isErrorBody(body)) throw new ApiError(response.status, body.error.code, body.error.message, body.error.hint);
  throw new ApiError(response.status, "http", `${request.path} answered ${response.status}.`);
}

/** The path of a session's resource. */
export function sessionPath(
  key: string,
  resource: "events" | "history" | "socket" | "context" | "grants" | "deliveries",
): string {
  return `/v1/sessions/${encodeURIComponent(key)}/${resource}`;
}

/** The path of a run's resource. */
export function runPath(runId: string, resource?: "events" | "abort" | "prompt"): string {
  return `/v1/runs/${encodeURIComponent(runId)}${resource ? `/${resource}` : ""}`;
}

/** The path of the prompt that an agent's next turn would get. */
export function promptPath(agentId: string, query: Readonly<Record<string, string | undefined>>): string {
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/v1/agents/${encodeURIComponent(agentId)}/prompt?${new URLSearchParams(asked)}`;
}

/** The path of a tool call's approval. */
export function approvalPath(approvalId: string): string {
  return `/v1/approvals/${encodeURIComponent(approvalId)}`;
}

/** The header of the state of Isopod's lists. Sent back, a list is read next to the server and is at least as new. */
const BOOKMARK = "x-d1-bookmark";
const bookmarks = new Map<string, string>();

async function send(
  server: Server,
  { method = "GET", path, body, content, headers: more = {}, signal }: Request,
): Promise<Response> {
  const headers = new Headers(more);
  if (server.token) headers.set("authorization", `Bearer ${server.token}`);
  const bookmark = bookmarks.get(server.url);
  if (bookmark !== undefined) headers.set(BOOKMARK, bookmark);
  if (body !== undefined) headers.set("content-type", "application/json");
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (content !== undefined) init.body = content;
  if (signal) init.signal = signal;
  try {
    const response = await fetch(server.url + path, init);
    const newer = response.headers.get(BOOKMARK);
    if (newer !== null) bookmarks.set(server.url, newer);
    return response;
  } catch (error) {
    throw unreachable(error);
  }
}

async function readJson(response: Response): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw unreachable(error);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error of a connection that failed or broke. */
export function unreachable(cause: unknown): ApiError {
  const error = new ApiError(0, "unreachable", "The server cannot be reached.");
  error.cause = cause;
  return error;
}
