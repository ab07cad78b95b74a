import { deadline } from "../lib/deadline.ts";
import { readCapped } from "../lib/read-capped.ts";
import { EgressError } from "./egress-error.ts";
import { guardedUrl, type HostRules } from "./host-guard.ts";
import { createDnsLookup } from "./name-lookup.ts";
import { type OutgoingRequest, outgoingRequest, redirected } from "./outgoing-request.ts";
import type { BrokeredRequest } from "./secret-broker.ts";
import { createStreamingFetch, type StreamingFetch } from "./streaming-fetch.ts";

/**
 * Requests a public server and reads the whole answer. Redirects are followed, each guarded like the first address. Any
 * status is an answer. Not idempotent: each call is a request.
 * @throws EgressError, or the signal's abort reason
 */
export type SafeFetch = (url: string, init?: SafeRequest) => Promise<SafeResponse>;

export interface SafeRequest {
  method?: string | undefined;
  headers?: Headers | Record<string, string> | undefined;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  signal?: AbortSignal | undefined;
  /** Most redirects to follow, within the guard's own limit; 0 returns the redirect itself. */
  maxRedirects?: number | undefined;
  /** Largest decompressed answer in bytes, within the guard's own limit. */
  maxBytes?: number | undefined;
  /** Timeout of the whole call in milliseconds, within the guard's own limit. */
  timeoutMs?: number | undefined;
  /** Changes each request just before it leaves, also after a redirect. What it throws ends the call. */
  beforeSend?: ((request: BrokeredRequest) => BrokeredRequest) | undefined;
}

export interface SafeResponse {
  status: number;
  statusText: string;
  /** By lower-case name; repeated headers are joined with `, `. For `set-cookie` use `setCookies`. */
  headers: Record<string, string>;
  /** Each `set-cookie` header; absent if there is none. */
  setCookies?: readonly string[];
  body: Uint8Array<ArrayBuffer>;
  /** The final address, after redirects. */
  url: string;
}

/** Limits of a request. */
export interface EgressLimits {
  maxBytes: number;
  timeoutMs: number;
  maxRedirects: number;
}

/** The default limits: 10 MiB, one minute, three redirects. */
const EGRESS_LIMITS: EgressLimits = { maxBytes: 10 * 1024 * 1024, timeoutMs: 60_000, maxRedirects: 3 };

export interface SafeFetchOptions extends HostRules {
  fetch: typeof fetch;
  limits?: Partial<EgressLimits> | undefined;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Creates the guarded `fetch` for agents and installs. */
export function createSafeFetch({ fetch: fetcher, limits: given, ...rules }: SafeFetchOptions): SafeFetch {
  const limits = { ...EGRESS_LIMITS, ...given };
  return async (address, init = {}) => {
    const bounds = {
      maxBytes: Math.min(init.maxBytes ?? limits.maxBytes, limits.maxBytes),
      timeoutMs: Math.min(init.timeoutMs ?? limits.timeoutMs, limits.timeoutMs),
      maxRedirects: Math.min(init.maxRedirects ?? limits.maxRedirects, limits.maxRedirects),
    };
    init.signal?.throwIfAborted();
    const clock = deadline(bounds.timeoutMs);
    const signal = init.signal === undefined ? clock.signal : AbortSignal.any([clock.signal, init.signal]);
    try {
      return await follow(
        address,
        outgoingRequest(init.method, init.headers, init.body),
        bounds,
        signal,
        init.beforeSend,
      );
    } catch (thrown) {
      init.signal?.throwIfAborted();
      if (clock.signal.aborted) {
        throw new EgressError(
          "timed_out",
          `There was no whole answer within ${bounds.timeoutMs} ms.`,
          "Try again later.",
        );
      }
      throw thrown;
    } finally {
      clock.done();
    }
  };

  async function follow(
    address: string,
    first: OutgoingRequest,
    bounds: EgressLimits,
    signal: AbortSignal,
    beforeSend: SafeRequest["beforeSend"],
  ): Promise<SafeResponse> {
    let url = await guardedUrl(address, rules, signal);
    let request = first;
    for (let hop = 0; ; hop++) {
      const response = await send(url, request, signal, beforeSend);
      const location = REDIRECTS.includes(response.status) ? response.headers.get("Location") : null;
      if (location === null || bounds.maxRedirects === 0) return whole(response, url, bounds.maxBytes);
      await response.body?.cancel();
      if (hop === bounds.maxRedirects) {
        const message = `${url.host} redirects more than ${bounds.maxRedirects} times.`;
        throw new EgressError("too_many_redirects", message, "Ask for the address at the end of them.");
      }
      const next = await guardedUrl(URL.parse(location, url)?.href ?? location, rules, signal);
      request = redirected(request, response.status, url, next);
      url = next;
    }
  }

  async function send(
    url: URL,
    { method, ...request }: OutgoingRequest,
    signal: AbortSignal,
    beforeSend: SafeRequest["beforeSend"] = (unchanged) => unchanged,
  ): Promise<Response> {
    const { url: address, headers, body } = beforeSend({ url, ...request });
    try {
      const sent = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) } as const;
      return await fetcher(address.href, sent);
    } catch {
      throw unreachable(url, "did not answer");
    }
  }
}

async function whole(response: Response, url: URL, maxBytes: number): Promise<SafeResponse> {
  const body = await readCapped(response.body, maxBytes).catch(() => {
    throw unreachable(url, "broke off in the middle of its answer");
  });
  if (body === undefined) {
    throw new EgressError("too_large", `The answer of ${url.host} is larger than ${maxBytes} bytes.`, "Ask for less.");
  }
  const { status, statusText, headers } = response;
  const cookies = headers.getSetCookie();
  const kept = { ...(cookies.length > 0 && { setCookies: cookies }) };
  return { status, statusText, headers: Object.fromEntries(headers), ...kept, body, url: url.href };
}

function unreachable({ host }: URL, what: string): EgressError {
  return new EgressError("unreachable", `${host} ${what}.`, "Check the address, or try again later.");
}

/** The configuration's `security.egress`. */
export interface EgressRules {
  allowPrivate: readonly string[];
  /** The DNS-over-HTTPS resolver. */
  resolverUrl: string;
}

/**
 * Creates the guarded `fetch` by the configuration's rules. Names are resolved first on self-hosted machines only:
 * there `fetch` reaches private networks, while Cloudflare's egress does not.
 */
export function openEgress(rules: EgressRules, host: string, limits?: Partial<EgressLimits>): SafeFetch {
  return createSafeFetch({ ...egressOptions(rules, host), limits });
}

/** The same for answers that are streams. */
export function openStreamingEgress(rules: EgressRules, host: string): StreamingFetch {
  return createStreamingFetch(egressOptions(rules, host));
}

function egressOptions({ allowPrivate, resolverUrl }: EgressRules, host: string): SafeFetchOptions {
  const fetcher: typeof fetch = (input, init) => fetch(input, init);
  const lookup = host === "workerd" ? createDnsLookup(resolverUrl, fetcher) : undefined;
  return { fetch: fetcher, allowPrivate, lookup };
}

/** The guarded egress in the form of `fetch`, which follows no redirect where `redirect` is `manual`. */
export function fetchThrough(egress: SafeFetch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url, headers, signal, redirect } = request;
    const body = request.body === null ? {} : { body: new Uint8Array(await request.arrayBuffer()) };
    const answer = await egress(url, {
      method,
      headers,
      signal,
      ...body,
      ...(redirect === "manual" && { maxRedirects: 0 }),
    });
    const { status, statusText, headers: answered } = answer;
    return new Response(answer.body.length === 0 ? null : answer.body, { status, statusText, headers: answered });
  };
}
