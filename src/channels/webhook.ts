import type { ErrorCode } from "../lib/errors.ts";
import { readCapped } from "../lib/read-capped.ts";
import type { ReceiveResult } from "./channel.ts";

/** Largest webhook body that any channel reads, in bytes. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024;

const STATUS = {
  method_not_allowed: 405,
  payload_too_large: 413,
  unauthorized: 401,
  forbidden: 403,
  invalid_request: 400,
  unavailable: 503,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** Refuses a webhook request with the error body of the Worker's routes. */
export function refuse(code: keyof typeof STATUS, message: string, headers: HeadersInit = {}): ReceiveResult {
  const response = Response.json({ error: { code, message } }, { status: STATUS[code], headers });
  return { kind: "refused", response };
}

/** Nothing for the agent. */
export function ignore(reason: string): Extract<ReceiveResult, { kind: "answered" }> {
  return { kind: "answered", reason };
}

/** Refuses every method but POST and those of the platform's handshakes. */
export function refuseMethod(request: Request, ...handshakes: string[]): ReceiveResult | undefined {
  const methods = ["POST", ...handshakes];
  if (methods.includes(request.method)) return undefined;
  return refuse("method_not_allowed", `A webhook is called with ${methods.join(" or ")}.`, {
    Allow: methods.join(", "),
  });
}

/** Refuses a body over the limit. */
export function refuseSize(): ReceiveResult {
  return refuse("payload_too_large", `The body is over ${MAX_WEBHOOK_BYTES} bytes.`);
}

/** Whether the Content-Length is over the limit, so that the body need not be read. */
export function announcesTooMuch(request: Request): boolean {
  return Number(request.headers.get("Content-Length") ?? 0) > MAX_WEBHOOK_BYTES;
}

/** The raw body; undefined, with the rest unread, if it is over the limit. */
export function readWebhookBody(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return readCapped(request.body, MAX_WEBHOOK_BYTES);
}

/** The body as JSON; undefined if it is not JSON in UTF-8. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    return undefined;
  }
}
