import { EgressError } from "./egress-error.ts";

/** An outgoing request, as each hop sends it. */
export interface OutgoingRequest {
  method: string;
  headers: Headers;
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

/** Methods that the Fetch standard forbids: they address proxies. */
const FORBIDDEN_METHODS = ["CONNECT", "TRACE", "TRACK"];

/** Connection headers; `upgrade` would open an unguarded socket. */
const CONNECTION_HEADERS = [
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The only headers that are kept across origins: any other may carry a secret for the first server. */
const HARMLESS_HEADERS = [
  "accept",
  "accept-encoding",
  "accept-language",
  "content-language",
  "content-type",
  "range",
  "user-agent",
];

/** The characters of a header. */
const PLAIN = /^[\t\x20-\x7e]*$/;

const BODY_HEADERS = ["content-encoding", "content-language", "content-location", "content-type"];

/** Validates a caller's request. @throws EgressError `bad_request`, which does not repeat the invalid part */
export function outgoingRequest(
  method = "GET",
  headers: Headers | Record<string, string> = {},
  body?: string | Uint8Array<ArrayBuffer>,
): OutgoingRequest {
  const verb = normalMethod(method);
  return { method: verb, headers: plainHeaders(headers), body: ["GET", "HEAD"].includes(verb) ? undefined : body };
}

/**
 * The request after a redirect, by the Fetch standard: 303 becomes a GET, as does a POST after 301 and 302. Across
 * origins only harmless headers are kept.
 */
export function redirected(request: OutgoingRequest, status: number, from: URL, to: URL): OutgoingRequest {
  const { method } = request;
  const headers = new Headers(request.headers);
  const isPosted = (status === 301 || status === 302) && method === "POST";
  const becomesGet = isPosted || (status === 303 && method !== "GET" && method !== "HEAD");
  if (becomesGet) for (const name of BODY_HEADERS) headers.delete(name);
  if (from.origin !== to.origin) {
    for (const name of [...headers.keys()]) if (!HARMLESS_HEADERS.includes(name)) headers.delete(name);
  }
  return becomesGet ? { method: "GET", headers, body: undefined } : { ...request, headers };
}

function normalMethod(method: string): string {
  const upper = method.toUpperCase();
  if (/^[A-Z]{1,20}$/.test(upper) && !FORBIDDEN_METHODS.includes(upper)) return upper;
  throw new EgressError(
    "bad_request",
    "That method is not sent.",
    "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.",
  );
}

function plainHeaders(given: Headers | Record<string, string>): Headers {
  const entries = given instanceof Headers ? [...given] : Object.entries(given);
  // workerd would accept other characters, and log the whole value as a warning.
  if (entries.some((entry) => !entry.every((part) => PLAIN.test(part)))) throw badHeader();
  try {
    const headers = new Headers(given);
    for (const name of CONNECTION_HEADERS) headers.delete(name);
    return headers;
  } catch {
    throw badHeader();
  }
}

function badHeader(): EgressError {
  return new EgressError(
    "bad_request",
    "A header is not well formed.",
    "Write it as one line, `Name: value`, in ASCII.",
  );
}
