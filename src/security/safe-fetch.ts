import { deadline } from "../lib/deadline.ts";
import { readCapped } from "../lib/read-capped.ts";
import { EgressError } from "./egress-error.ts";
import { guardedUrl, type HostRules } from "./host-guard.ts";
import { createDnsLookup } from "./name-lookup.ts";
import { type OutgoingRequest, outgoingRequest, redirected } from "./outgoing-request.ts";

/**
 * Asks a server on the public internet, and reads its whole answer. Redirects are followed, each guarded like the first address.
 * Any status is an answer. Calling it twice asks twice.
 * @throws EgressError, or what `signal` was aborted with
 */
export type SafeFetch = (url: string, init?: SafeRequest) => Promise<SafeResponse>;

export interface SafeRequest {
  method?: string | undefined;
  headers?: Headers | Record<string, string> | undefined;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  signal?: AbortSignal | undefined;
  /** How many redirects are followed, up to the guard's own bound; 0 gives the redirect itself. */
  maxRedirects?: number | undefined;
  /** Largest answer in bytes, as it is once decompressed, up to the guard's own bound. */
  maxBytes?: number | undefined;
  /** Longest time for all of it, in milliseconds, up to the guard's own bound. */
  timeoutMs?: number | undefined;
}

export interface SafeResponse {
  status: number;
  statusText: string;
  /** By their names in lower case; what was sent several times is joined with `, `. */
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
  /** Where the answer is from, after redirects. */
  url: string;
}

/** Bounds of every request. */
export interface EgressLimits {
  maxBytes: number;
  timeoutMs: number;
  maxRedirects: number;
}

/** The bounds where nothing else is said: 10 MiB, a minute, three redirects. */
const EGRESS_LIMITS: EgressLimits = { maxBytes: 10 * 1024 * 1024, timeoutMs: 60_000, maxRedirects: 3 };

export interface SafeFetchOptions extends HostRules {
  fetch: typeof fetch;
  limits?: Partial<EgressLimits> | undefined;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Makes the one way in which agents and installs reach the outside. */
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
      return await follow(address, outgoingRequest(init.method, init.headers, init.body), bounds, signal);
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
  ): Promise<SafeResponse> {
    let url = await guardedUrl(address, rules, signal);
    let request = first;
    for (let hop = 0; ; hop++) {
      const response = await send(url, request, signal);
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

  async function send(url: URL, { method, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<Response> {
    try {
      const sent = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) } as const;
      return await fetcher(url.href, sent);
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
  const { status, statusText } = response;
  return { status, statusText, headers: Object.fromEntries(response.headers), body, url: url.href };
}

function unreachable({ host }: URL, what: string): EgressError {
  return new EgressError("unreachable", `${host} ${what}.`, "Check the address, or try again later.");
}

/** `security.egress` of the configuration. */
export interface EgressRules {
  allowPrivate: readonly string[];
  /** Where names are looked up, by DNS over HTTPS. */
  resolverUrl: string;
}

/**
 * Opens the way to the outside by the rules of the configuration. Names are looked up on a machine of one's own only: there
 * `fetch` reaches whatever the machine does, while Cloudflare's edge leads to the public internet alone.
 */
export function openEgress({ allowPrivate, resolverUrl }: EgressRules, host: string): SafeFetch {
  const fetcher: typeof fetch = (input, init) => fetch(input, init);
  const lookup = host === "workerd" ? createDnsLookup(resolverUrl, fetcher) : undefined;
  return createSafeFetch({ fetch: fetcher, allowPrivate, lookup });
}
