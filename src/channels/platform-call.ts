import { messageOf } from "../lib/errors.ts";
import { EgressError } from "../security/egress-error.ts";
import type { ChannelContext, Delivery } from "./channel.ts";

/** The result of one request to a platform. What a platform refuses contains none of the request's secrets. */
export type PlatformAnswer =
  /** `json` is undefined if the body is not JSON. */
  | { kind: "ok"; json: unknown }
  /** `description` is what the platform says, as a person may read it; `status` is 0 if our own guard refused. */
  | { kind: "refused"; status: number; json: unknown; description: string; retryAfterMs?: number }
  /** Never sent: the name was not found, or TLS failed. */
  | { kind: "unreached"; reason: string }
  /** Perhaps received: no answer came, or none that could be read. */
  | { kind: "lost"; reason: string };

/** An answer with the platform's own code, by which it says what is wrong. Contains no secret. */
export type CodedAnswer<Code = number> =
  | Exclude<PlatformAnswer, { kind: "refused" }>
  | (Extract<PlatformAnswer, { kind: "refused" }> & { code?: Code });

/** A request to a platform. */
export interface PlatformRequest {
  url: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: object | FormData | URLSearchParams | Uint8Array<ArrayBuffer>;
  /** Values that must not be in any text of the answer. */
  secrets?: readonly string[];
  /** The header in which a refusal says how many seconds to wait; `Retry-After` where absent. */
  delayHeader?: string;
}

const MAX_REASON_UNITS = 300;
/** Shorter values hide nothing, and taking them out would spoil the text. */
const MIN_SECRET_CHARS = 6;

/** Makes one request to a platform, without following redirects. Never throws. */
export function callPlatform(
  deps: Pick<ChannelContext<unknown>, "fetch">,
  request: PlatformRequest,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  return exchange(deps, request, signal, (response) => readAnswer(response, request));
}

/** A file that a platform hands over. */
export interface PlatformFile {
  kind: "file";
  bytes: ReadableStream<Uint8Array>;
}

/**
 * Makes one request whose answer is a file, without following redirects. JSON in its place is an answer as of
 * `callPlatform`: platforms refuse so, also with 200. Never throws.
 */
export function downloadFromPlatform(
  deps: Pick<ChannelContext<unknown>, "fetch">,
  request: PlatformRequest,
  signal: AbortSignal,
): Promise<PlatformFile | PlatformAnswer> {
  return exchange<PlatformFile | PlatformAnswer>(deps, request, signal, (response) => {
    const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
    if (response.ok && !isJson && response.body !== null) return { kind: "file", bytes: response.body };
    return readAnswer(response, request);
  });
}

/** One request, and what it comes to where there is no response. */
async function exchange<Answer>(
  { fetch }: Pick<ChannelContext<unknown>, "fetch">,
  { url, method = "POST", headers = {}, body, secrets = [] }: PlatformRequest,
  signal: AbortSignal,
  read: (response: Response) => Answer | Promise<Answer>,
): Promise<Answer | Exclude<PlatformAnswer, { kind: "ok" }>> {
  try {
    return await read(await fetch(url, { method, redirect: "manual", signal, ...encoded(body, headers) }));
  } catch (error) {
    if (signal.aborted) return { kind: "lost", reason: "no answer in time" };
    if (error instanceof EgressError) return refusedByGuard(error);
    const reason = withoutSecrets(messageOf(error), secrets).slice(0, MAX_REASON_UNITS);
    if (isUnreached(reason)) return { kind: "unreached", reason: "the server could not be reached" };
    return { kind: "lost", reason: `the connection failed: ${reason}` };
  }
}

/** What the guarded egress says of a request. */
function refusedByGuard({ code, message, hint }: EgressError): Exclude<PlatformAnswer, { kind: "ok" }> {
  const isForbidden = code === "refused" || code === "bad_request";
  if (isForbidden) return { kind: "refused", status: 0, json: undefined, description: `${message} ${hint}` };
  return { kind: code === "unresolved" ? "unreached" : "lost", reason: message };
}

async function readAnswer(
  response: Response,
  { secrets = [], delayHeader = "Retry-After" }: PlatformRequest,
): Promise<PlatformAnswer> {
  const text = await response.text();
  if (response.ok) return { kind: "ok", json: parseJson(text) };
  const json = parseJson(withoutSecrets(text, secrets));
  const seconds = Number(response.headers.get(delayHeader) ?? Number.NaN);
  const description = withoutSecrets(describe(json) ?? `status ${response.status}`, secrets);
  return {
    ...{ kind: "refused", status: response.status, json },
    description: description.slice(0, MAX_REASON_UNITS),
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
  };
}

function encoded(body: PlatformRequest["body"], headers: Record<string, string>): RequestInit {
  if (body === undefined) return { headers };
  // The form sets its own content type.
  if (body instanceof FormData || body instanceof URLSearchParams || body instanceof Uint8Array) {
    return { headers, body };
  }
  return { headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/**
 * Whether workerd has not connected: it gives a reference for a name that is not found and for a failed TLS handshake,
 * and other words for a connection that was refused or that broke, which cannot be told apart.
 */
function isUnreached(reason: string): boolean {
  return reason.startsWith("internal error");
}

/** The usual fields in which platforms say what is wrong. */
function describe(json: unknown): string | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  for (const key of ["description", "message", "errmsg", "msg", "error_description", "error"]) {
    const value: unknown = Reflect.get(json, key);
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "object" && value !== null) return describe(value);
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes secrets from a text that is stored or shown. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS);
  return long.reduce((shown, secret) => shown.replaceAll(secret, "<secret>"), text);
}

/** How a channel reads the answer to a message that it has sent. */
export interface DeliveryReading {
  /** The platform's name, for people. */
  platform: string;
  /** The platform's id of the message. */
  externalId?(json: unknown): string | undefined;
  /** What a refusal means to a person, and what to do; else the platform's own words. */
  explain?(status: number, description: string): string | undefined;
}

/** The default delay before another try, in milliseconds. */
const RETRY_AFTER_MS = 10_000;

/** The outcome of a delivery, by the platform's answer. */
export function deliveryOf(answer: PlatformAnswer, { platform, externalId, explain }: DeliveryReading): Delivery {
  switch (answer.kind) {
    case "ok": {
      const id = externalId?.(answer.json);
      return { outcome: "delivered", ...(id !== undefined && { externalId: id }) };
    }
    case "unreached":
      return { outcome: "retry", afterMs: 0, reason: `${platform}: ${answer.reason}` };
    case "lost":
      return { outcome: "unsure", reason: `${platform}: ${answer.reason}` };
    case "refused": {
      const { status, description, retryAfterMs = RETRY_AFTER_MS } = answer;
      if (isBeforeSending(status))
        return { outcome: "retry", afterMs: retryAfterMs, reason: `${platform}: ${description}` };
      if (status >= 500) return { outcome: "unsure", reason: `${platform}: ${description}` };
      return {
        outcome: "failed",
        reason: explain?.(status, description) ?? `${platform} refused the message: ${description}`,
      };
    }
  }
}

/**
 * Statuses that mean that a message was not accepted: rate limited, unavailable, and those of Cloudflare for a server
 * that was never reached (refused, unreachable, TLS failure, no such name). Any other 5xx is ambiguous: platforms also
 * answer 500 for a message that they sent, and a gateway's 502 or 504 hides what happened behind it.
 * @see https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
function isBeforeSending(status: number): boolean {
  return [429, 503, 521, 523, 525, 526, 530].includes(status);
}

/**
 * Turns an answer that a platform gives with 200 into a refusal, if its body says so.
 * @param refusal of the body: the HTTP status that fits, and what the platform says; undefined if it is no refusal
 */
export function refusedIf(
  answer: PlatformAnswer,
  refusal: (json: unknown) => { status: number; description: string; retryAfterMs?: number } | undefined,
): PlatformAnswer {
  const refused = answer.kind === "ok" ? refusal(answer.json) : undefined;
  return refused === undefined || answer.kind !== "ok"
    ? answer
    : { kind: "refused", json: answer.json, ...refused, description: refused.description.slice(0, MAX_REASON_UNITS) };
}

/**
 * The answer to a request that had to be made before a message could be sent, such as one for a token: whatever became
 * of it, the message was not sent.
 */
export function beforeSending<Answer extends PlatformAnswer>(
  answer: Answer,
): Answer | Extract<PlatformAnswer, { kind: "unreached" }> {
  if (answer.kind === "lost") return { kind: "unreached", reason: answer.reason };
  if (answer.kind === "refused" && answer.status >= 500) return { kind: "unreached", reason: answer.description };
  return answer;
}

/** A failed login as the answer to a message, which was surely not sent. */
export function notLoggedIn(
  failure: Exclude<PlatformAnswer, { kind: "ok" }>,
  reason: string,
): Extract<PlatformAnswer, { kind: "refused" | "unreached" }> {
  if (failure.kind !== "refused") return { kind: "unreached", reason };
  const isForNow = failure.status === 429 || failure.status >= 500;
  return { ...failure, status: isForNow ? 503 : 401 };
}

/** The outcome of a delivery that was stopped before the request was made. */
export const STOPPED: Delivery = { outcome: "retry", afterMs: 0, reason: "stopped before it was sent" };
