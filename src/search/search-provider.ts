/** The services that the web can be searched with. */
export type SearchProviderId = "brave" | "tavily" | "exa" | "perplexity" | "searxng";

/** What is searched for. */
export interface SearchQuery {
  words: string;
  /** Most results. */
  count: number;
  /** How old results may be. */
  freshness?: Freshness | undefined;
  /** The host that results must be of, such as `example.org`. */
  site?: string | undefined;
  /** Where pages are from: two letters of ISO 3166-1, such as `DE`. */
  country?: string | undefined;
  /** The language of pages: two letters of ISO 639-1, such as `de`. */
  language?: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

export const FRESHNESS = ["day", "week", "month", "year"] as const;

export type Freshness = (typeof FRESHNESS)[number];

/** What is found. */
export interface SearchAnswer {
  results: SearchResult[];
  /** What the search cost in millionths of a US dollar; absent if the service does not tell. */
  costMicros?: number;
}

export interface SearchResult {
  title: string;
  url: string;
  /** When the page is from, as the service says it; empty if it does not. */
  date: string;
  /** A passage of the page. */
  snippet: string;
}

/** Where a service is reached, and with what. */
export interface SearchAccess {
  /** Without a slash at the end. */
  baseUrl: string;
  apiKey: string | undefined;
}

/** One request to a service: a GET, or a POST of JSON. */
export interface SearchRequest {
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: object;
}

/**
 * Why a service gives no results: it does not accept the key; the plan is used up; it was asked too often; it does not
 * accept what was asked; it does not give JSON; or it has a fault of its own.
 */
export type Refusal = "key" | "plan" | "rate" | "query" | "format" | "fault";

/** A service that searches the web. Its functions are pure: they write a request, and read an answer. */
export interface SearchProvider {
  readonly id: SearchProviderId;
  /** As people write it. */
  readonly name: string;
  /** The variable with its key; of a service without keys, with its address. */
  readonly variable: string;
  /** Absent where everybody has an instance of their own. */
  readonly baseUrl?: string;
  /** Where a key comes from, or an instance. */
  readonly keysAt: string;
  request(query: SearchQuery, access: SearchAccess): SearchRequest;
  /** @throws ZodError if the answer is not of the documented shape; Error if it says that the search failed */
  read(answer: unknown): SearchAnswer;
  /** What a status means, where it is not the usual; undefined where it is. */
  refusal?(status: number, body: string): Refusal | undefined;
}
