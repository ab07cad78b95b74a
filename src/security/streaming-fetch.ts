import { deadline } from "../lib/deadline.ts";
import { EgressError } from "./egress-error.ts";
import { guardedUrl, type HostRules } from "./host-guard.ts";
import { outgoingRequest } from "./outgoing-request.ts";

/**
 * Requests a public server as `fetch` does, and gives the answer while it still comes. A redirect is an answer and is not
 * followed. Not idempotent: each call is a request.
 * @throws EgressError, or the signal's abort reason
 */
export type StreamingFetch = (url: string | URL, init?: StreamingRequest) => Promise<Response>;

/** The part of a request's init that is used. */
export interface StreamingRequest {
  method?: string | undefined;
  headers?: HeadersInit | undefined;
  body?: BodyInit | null | undefined;
  signal?: AbortSignal | null | undefined;
}

export interface StreamingFetchOptions extends HostRules {
  fetch: typeof fetch;
  /** Most bytes of one answer. */
  maxBytes?: number;
  /** How long the head of an answer may take, in milliseconds. */
  headMs?: number;
}

const MAX_BYTES = 10 * 1024 * 1024;
/** As long as a call may take at most: a server may do its work before it answers. Callers abort earlier. */
const HEAD_MS = 600_000;

/** Creates the guarded `fetch` for answers that are streams. */
export function createStreamingFetch({
  fetch: fetcher,
  maxBytes = MAX_BYTES,
  headMs = HEAD_MS,
  ...rules
}: StreamingFetchOptions): StreamingFetch {
  return async (address, init = {}) => {
    const clock = deadline(headMs);
    const given = init.signal ?? undefined;
    given?.throwIfAborted();
    const signal = given === undefined ? clock.signal : AbortSignal.any([clock.signal, given]);
    let url: URL | undefined;
    try {
      url = await guardedUrl(String(address), rules, signal);
      const { method, headers, body } = outgoingRequest(init.method, new Headers(init.headers), textOf(init.body));
      const sent = { method, headers, signal, redirect: "manual", ...(body !== undefined && { body }) } as const;
      const response = await fetcher(url.href, sent);
      return bounded(response, url, maxBytes);
    } catch (thrown) {
      given?.throwIfAborted();
      if (thrown instanceof EgressError) throw thrown;
      const host = url?.host ?? String(address);
      if (clock.signal.aborted)
        throw new EgressError("timed_out", `${host} did not answer within ${headMs} ms.`, LATER);
      throw new EgressError("unreachable", `${host} did not answer.`, "Check the address, or try again later.");
    } finally {
      clock.done();
    }
  };
}

const LATER = "Try again later.";

function textOf(body: BodyInit | null | undefined): string | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new EgressError("bad_request", "Only text is sent.", "Write the body as a text.");
}

/** The answer with a body that breaks off once it is too long. */
function bounded({ status, statusText, headers, body }: Response, { host }: URL, maxBytes: number): Response {
  let left = maxBytes;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left >= 0) controller.enqueue(chunk);
      else
        controller.error(
          new EgressError("too_large", `The answer of ${host} is larger than ${maxBytes} bytes.`, "Ask for less."),
        );
    },
  });
  // The Response of a status without a body must have none.
  const isEmpty = body === null || [101, 204, 205, 304].includes(status);
  return new Response(isEmpty ? null : body.pipeThrough(counting), { status, statusText, headers });
}
