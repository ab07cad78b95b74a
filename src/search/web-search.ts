import { z } from "zod";
import { messageOf } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import { EgressError } from "../security/egress-error.ts";
import type { SafeFetch, SafeResponse } from "../security/safe-fetch.ts";
import type { ChosenSearch } from "./choose-search.ts";
import { SearchError } from "./search-error.ts";
import type { Refusal, SearchAnswer, SearchQuery, SearchRequest, SearchResult } from "./search-provider.ts";

/** A service that searches the web, ready to be asked. */
export interface WebSearch {
  /** The service as people write it. */
  readonly name: string;
  /** The service's address. */
  readonly url: string;
  /** Asks once, and once more where it was asked too often. @throws SearchError, or the signal's abort reason */
  search(query: Omit<SearchQuery, "now">, signal: AbortSignal): Promise<SearchAnswer>;
}

/** What a service is asked with. */
export interface WebSearchDeps {
  /** The guarded way out; it lets the service's own address through. */
  egress: SafeFetch;
  timeoutMs: number;
  /** Milliseconds since the epoch. */
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The longest wait before it is asked again, in seconds. A plan with one request a second is common. */
const LONGEST_WAIT_SEC = 3;
const MAX_TITLE_CHARS = 300;
const MAX_SNIPPET_CHARS = 1_000;
/** Longer addresses are left out: no model copies them without a mistake. */
const MAX_URL_CHARS = 1_000;

/** Opens a search with the chosen service. */
export function openWebSearch(chosen: ChosenSearch, deps: WebSearchDeps): WebSearch {
  const { provider, access } = chosen;
  return {
    name: provider.name,
    url: access.baseUrl,
    async search(query, signal) {
      const request = provider.request({ ...query, now: deps.now() }, access);
      const first = await send(request, chosen, deps, signal);
      const waitSec = first.status === 429 ? retryAfterSec(first) : undefined;
      if (waitSec !== undefined) await deps.wait(waitSec * 1000, signal);
      signal.throwIfAborted();
      const answer = waitSec === undefined ? first : await send(request, chosen, deps, signal);
      return bounded(read(answer, chosen), query.count);
    },
  };
}

/** @throws SearchError */
async function send(
  { url, headers, body }: SearchRequest,
  { provider: { name } }: ChosenSearch,
  { egress, timeoutMs }: WebSearchDeps,
  signal: AbortSignal,
): Promise<SafeResponse> {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  try {
    return await egress(url, {
      ...sent,
      headers: { Accept: "application/json", ...type, ...headers },
      // The key must not follow a redirect.
      ...{ maxRedirects: 0, maxBytes: MAX_ANSWER_BYTES, timeoutMs, signal },
    });
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    throw new SearchError(`${name} gives no results: ${thrown.message}`, thrown.hint, thrown);
  }
}

/** How long to wait before it is asked again; undefined if that is longer than a turn should wait. */
function retryAfterSec({ headers }: SafeResponse): number | undefined {
  const wait = Number(headers["retry-after"] ?? 1);
  return Number.isFinite(wait) && wait <= LONGEST_WAIT_SEC ? Math.max(wait, 1) : undefined;
}

/** @throws SearchError */
function read({ status, headers, body }: SafeResponse, chosen: ChosenSearch): SearchAnswer {
  const { provider } = chosen;
  const text = new TextDecoder().decode(body);
  if (status < 200 || status >= 300) {
    throw refused(provider.refusal?.(status, text) ?? usualRefusal(status), { status, headers }, chosen);
  }
  const json = parseJson(text);
  if (json === undefined) throw refused("format", { status, headers }, chosen);
  try {
    return provider.read(json);
  } catch (thrown) {
    if (thrown instanceof z.ZodError) throw refused("format", { status, headers }, chosen);
    throw new SearchError(`${provider.name} gives no results: ${messageOf(thrown)}.`, LATER, thrown);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function usualRefusal(status: number): Refusal {
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "plan";
  if (status === 429) return "rate";
  if (status >= 500) return "fault";
  return status >= 400 ? "query" : "format";
}

const LATER = "Try again later, or use web_fetch on an address that you know.";

function refused(
  refusal: Refusal,
  { status, headers }: Pick<SafeResponse, "status" | "headers">,
  { provider, variable }: ChosenSearch,
): SearchError {
  const { name, keysAt } = provider;
  const said = `${name} gives no results (status ${status}):`;
  const key = variable ?? provider.variable;
  switch (refusal) {
    case "key":
      return new SearchError(`${said} it does not accept ${key}.`, `The owner has to check ${key} (${keysAt}).`);
    case "plan":
      return new SearchError(`${said} the plan is used up.`, `The owner can see and raise it at ${keysAt}.`);
    case "rate": {
      const seconds = Number(headers["retry-after"]);
      const when = seconds > 0 ? `It says to ask again in ${Math.ceil(seconds)} s.` : LATER;
      return new SearchError(`${said} ${key} was used too often, or its plan's month is used up.`, when);
    }
    case "query":
      return new SearchError(`${said} it does not accept the search.`, "Use fewer and plainer words.");
    case "format": {
      const fix = provider.baseUrl === undefined ? "json has to be one of search.formats in its settings.yml" : "";
      const where = "The owner has to check the address that is searched at (tools.web.search.baseUrl)";
      return new SearchError(
        `${said} what it answers are no results in JSON.`,
        `${[where, fix].filter(Boolean).join("; ")}.`,
      );
    }
    case "fault":
      return new SearchError(`${said} it has a fault.`, LATER);
  }
}

/** Results of web pages alone, each address once, of a bounded size and with plain dates. */
function bounded({ results, ...rest }: SearchAnswer, count: number): SearchAnswer {
  const pages = results.filter(({ url }) => url.length <= MAX_URL_CHARS && isPage(url));
  const distinct = [...new Map(pages.toReversed().map((result) => [result.url, result])).values()].toReversed();
  return {
    ...rest,
    results: distinct.slice(0, count).map(
      ({ title, url, date, snippet }): SearchResult => ({
        title: oneLine(title, MAX_TITLE_CHARS),
        url,
        date: plainDate(date),
        snippet: oneLine(snippet, MAX_SNIPPET_CHARS),
      }),
    ),
  };
}

function isPage(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === "" && !/\s/.test(url);
}

function oneLine(text: string, max: number): string {
  return head(text.replace(/\s+/g, " ").trim(), max);
}

/** A date without its time where the date can be told, else as it is. */
function plainDate(date: string): string {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(date) ?? [];
  if (day !== undefined) return day;
  const at = /\d{4}/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? oneLine(date, 40) : new Date(at).toISOString().slice(0, 10);
}
