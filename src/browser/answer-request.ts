import { fromBase64, toBase64 } from "../lib/base64.ts";
import { joinBytes } from "../lib/join-bytes.ts";
import { EgressError } from "../security/egress-error.ts";
import type { SafeFetch, SafeResponse } from "../security/safe-fetch.ts";
import type { HeaderEntry, PausedRequest } from "./cdp-protocol.ts";

/** What decides about the requests of a page, and sends them. */
export interface PageEgress {
  /** The guarded way out. */
  fetch: SafeFetch;
  /**
   * Decides about what a page loads by itself.
   * @param from the address of the document that asks; of a new page, that of the page before it
   * @returns why not, as a sentence; undefined if it may
   */
  mayLoad(url: string, from: string): string | undefined;
  signal: AbortSignal;
}

/** Where a request comes from. */
export interface RequestOrigin {
  /** Whether its answer takes the place of the page. */
  isMain: boolean;
  /** The address of the document that asks. */
  from: string;
}

/** What a page's request is answered with. */
export type RequestAnswer =
  | { kind: "fulfill"; status: number; headers: HeaderEntry[]; body: string; bytes: number }
  | { kind: "fail"; reason: "BlockedByClient" | "Failed" | "TimedOut"; why: string }
  /** It leaves no browser: `data:` and `blob:`. */
  | { kind: "continue" };

/** Answers a request of the page. Must not reject. */
export type AnswerRequest = (paused: PausedRequest, origin: RequestOrigin) => Promise<RequestAnswer>;

/** Largest answer: with its base64 and the message around that it is in memory three times, and four at once. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** A request that is not answered by then fails in the page, in milliseconds. */
const RESPONSE_MS = 15_000;

/**
 * The policy that every document gets on top of its own: it may open no windows, where WebRTC would act before DevTools
 * attach, and no plugin.
 */
export const DOCUMENT_POLICY = "sandbox allow-scripts allow-forms allow-same-origin";

/** Headers of an answer that are no longer true of the bytes that the page is given. */
const STALE_HEADERS = ["content-encoding", "content-length", "transfer-encoding"];

/** What a main document may be; all else is read with `web_fetch`, which is bounded, or is a download. */
const SHOWN_TYPES = /^(?:text\/|image\/|application\/(?:json|xml|xhtml\+xml|[\w.+-]+\+xml)(?:;|$))/;

/**
 * Answers a request of a page with a guarded request of the Worker's own; redirects are the page's to follow, and each
 * comes here again. Never rejects: what is refused or fails is an answer with the reason.
 */
export async function answerRequest(
  { request, resourceType }: PausedRequest,
  { isMain, from }: RequestOrigin,
  { fetch, mayLoad, signal }: PageEgress,
): Promise<RequestAnswer> {
  const { url, method } = request;
  if (/^(?:data|blob|about):/i.test(url)) return { kind: "continue" };
  if (!/^https?:/i.test(url)) return blocked(`'${url.slice(0, url.indexOf(":"))}:' is not asked for.`);
  const headers = withoutPseudoHeaders(request.headers);
  if (resourceType === "Media") return blocked("Audio and video are not loaded.");
  if (headers.has("Service-Worker")) return blocked("Pages get no service workers.");
  const refusal = mayLoad(url, from);
  if (refusal !== undefined) return blocked(refusal);
  const body = bodyOf(request);
  if (body === undefined) return blocked("Files are not uploaded.");
  try {
    const bounds = { maxRedirects: 0, maxBytes: MAX_RESPONSE_BYTES, timeoutMs: RESPONSE_MS, signal };
    const answer = await fetch(url, { method, headers, ...bounds, ...(body.length > 0 && { body }) });
    return resourceType === "Document" ? asDocument(answer, isMain) : fulfilled(answer, []);
  } catch (error) {
    if (!(error instanceof EgressError)) return { kind: "fail", reason: "Failed", why: String(error) };
    const reason = error.code === "timed_out" ? "TimedOut" : error.code === "refused" ? "BlockedByClient" : "Failed";
    return { kind: "fail", reason, why: `${error.message} ${error.hint}` };
  }
}

function asDocument(answer: SafeResponse, isMain: boolean): RequestAnswer {
  const type = answer.headers["content-type"] ?? "text/html";
  const isAttachment = /^\s*attachment/i.test(answer.headers["content-disposition"] ?? "");
  const isRedirect = answer.status >= 300 && answer.status < 400;
  if (isMain && !isRedirect && (isAttachment || !SHOWN_TYPES.test(type.trim().toLowerCase()))) {
    return blocked(`It is a file (${type}), and no page: read it with web_fetch.`);
  }
  return fulfilled(answer, [{ name: "Content-Security-Policy", value: DOCUMENT_POLICY }]);
}

function fulfilled({ status, headers, setCookies = [], body }: SafeResponse, more: HeaderEntry[]): RequestAnswer {
  const kept = Object.entries(headers)
    .filter(([name]) => name !== "set-cookie" && !STALE_HEADERS.includes(name))
    .map(([name, value]) => ({ name, value }));
  const cookies = setCookies.map((value) => ({ name: "Set-Cookie", value }));
  const own = [...kept, ...cookies, ...more];
  return { kind: "fulfill", status, headers: own, body: toBase64(body), bytes: body.length };
}

function blocked(why: string): RequestAnswer {
  return { kind: "fail", reason: "BlockedByClient", why };
}

function withoutPseudoHeaders(headers: Record<string, string>): Headers {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers)) if (!name.startsWith(":")) kept.set(name, value);
  // The Worker's own request says what it can decode.
  kept.delete("Accept-Encoding");
  return kept;
}

/** The body; undefined if it has a file in it, whose bytes are not told. */
function bodyOf({ hasPostData, postDataEntries = [] }: PausedRequest["request"]): Uint8Array<ArrayBuffer> | undefined {
  if (!hasPostData) return new Uint8Array();
  const parts = postDataEntries.map(({ bytes }) => (bytes === undefined ? undefined : fromBase64(bytes)));
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 || known.length < parts.length ? undefined : joinBytes(known);
}
