import { expect, test } from "vitest";
import { chooseSearch, type SearchSettings } from "../../src/search/choose-search.ts";
import type { SearchProviderId, SearchQuery } from "../../src/search/search-provider.ts";
import { openWebSearch, type WebSearchDeps } from "../../src/search/web-search.ts";
import { createSafeFetch } from "../../src/security/safe-fetch.ts";
import type { OutsideAnswer } from "../fakes/outside.ts";
import { at, heard, outsideHost, serve } from "../security/outside-lab.ts";
import { SEARCH_ANSWERS } from "./search-answers.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const JSON_TYPE = { "Content-Type": "application/json" };
const signal = new AbortController().signal;

/** A service at a place of a test's own, with a key. */
function open(place: string, provider: SearchProviderId, more: Partial<WebSearchDeps> = {}) {
  const chosen = chooseSearch({ enabled: true, provider, baseUrl: at(place, "api") }, () => "the-key");
  if (chosen.provider === undefined) throw new Error(chosen.why);
  return openWebSearch(chosen, {
    egress: createSafeFetch({ fetch, allowPrivate: [outsideHost] }),
    ...{ timeoutMs: 5_000, now: () => NOW, wait: async () => undefined },
    ...more,
  });
}

const LAMPS: Omit<SearchQuery, "now"> = {
  ...{ words: "harbour lamps", count: 3, freshness: "week", site: "example.org", country: "DE", language: "de" },
};

const GIVEN = {
  brave:
    "res/v1/web/search?q=harbour+lamps+site%3Aexample.org&count=3&result_filter=web&text_decorations=false&freshness=pw&search_lang=de&country=DE",
  tavily: "search",
  exa: "search",
  perplexity: "search",
  searxng: "search?q=harbour+lamps+site%3Aexample.org&format=json&time_range=week&language=de",
} as const;

/** The bodies of the services that are asked with one. */
const BODIES = {
  tavily: {
    query: "harbour lamps",
    ...{ max_results: 3, time_range: "week", include_domains: ["example.org"], country: "germany" },
  },
  exa: {
    query: "harbour lamps",
    ...{ numResults: 3, contents: { highlights: { maxCharacters: 800 } } },
    ...{ startPublishedDate: "2026-11-18T12:00:00.000Z", includeDomains: ["example.org"], userLocation: "DE" },
  },
  perplexity: {
    query: "harbour lamps",
    ...{ max_results: 3, search_recency_filter: "week", search_domain_filter: ["example.org"] },
    ...{ country: "DE", search_language_filter: ["de"] },
  },
};

const KEYS = {
  brave: ["x-subscription-token", "the-key"],
  tavily: ["authorization", "Bearer the-key"],
  exa: ["x-api-key", "the-key"],
  perplexity: ["authorization", "Bearer the-key"],
  searxng: ["authorization", undefined],
} as const;

const PROVIDERS = ["brave", "tavily", "exa", "perplexity", "searxng"] as const;

test.each(PROVIDERS)("%s is asked as its documentation says, and its answer is read", async (provider) => {
  const place = `ws-${provider}`;
  const body = JSON.stringify(SEARCH_ANSWERS[provider]);
  await serve(place, { [`api/${GIVEN[provider]}`]: { headers: JSON_TYPE, body } });
  const { results, costMicros } = await open(place, provider).search(LAMPS, signal);
  expect(results).toEqual([
    {
      title: "Lamps & harbours",
      url: "https://example.org/lamps",
      date: "2026-11-20",
      snippet: "Forty lamps were counted before the morning.",
    },
    { title: "Second", url: "https://example.org/second", date: "", snippet: "" },
  ]);
  expect(costMicros).toBe(provider === "exa" ? 5000 : undefined);
  const [request] = await heard(place);
  const [header, key] = KEYS[provider];
  expect(request?.headers[header]).toBe(key);
  const hasBody = provider in BODIES;
  expect(request?.method).toBe(hasBody ? "POST" : "GET");
  if (hasBody) expect(JSON.parse(request?.body ?? "")).toEqual(BODIES[provider as keyof typeof BODIES]);
});

test("a search in Chinese is one in Chinese at Brave, unless the model says another language", async () => {
  const sent = async (place: string, more: Partial<SearchQuery>) => {
    await open(place, "brave")
      .search({ words: "港口 灯笼", count: 3, ...more }, signal)
      .catch(() => undefined);
    return new URL((await heard(place))[0]?.path ?? "", "https://host").searchParams;
  };
  expect((await sent("ws-script", {})).get("search_lang")).toBe("zh-hans");
  expect((await sent("ws-language", { language: "ja" })).get("search_lang")).toBe("jp");
});

/** What Tavily's answer becomes. */
async function tavily(place: string, answer: OutsideAnswer, more: Partial<WebSearchDeps> = {}) {
  await serve(place, { "api/search": { headers: JSON_TYPE, ...answer } });
  return open(place, "tavily", more).search({ words: "lamps", count: 3 }, signal);
}

const MISTAKES: [name: string, answer: OutsideAnswer, message: string, hint: string][] = [
  [
    "unauthorized",
    { status: 401, body: '{"detail":{"error":"secret word"}}' },
    "TAVILY_API_KEY",
    "check TAVILY_API_KEY",
  ],
  ["plan", { status: 432, body: "{}" }, "the plan is used up", "https://app.tavily.com"],
  [
    "rate",
    { status: 429, headers: { ...JSON_TYPE, "Retry-After": "90" } },
    "TAVILY_API_KEY was used too often",
    "90 s",
  ],
  ["query", { status: 400, body: "{}" }, "does not accept the search", "fewer and plainer words"],
  ["fault", { status: 500, body: "<html>" }, "it has a fault", "Try again later"],
  ["html", { body: "<html>" }, "no results in JSON", "tools.web.search.baseUrl"],
  ["shape", { body: '{"results":"none"}' }, "no results in JSON", "tools.web.search.baseUrl"],
  ["redirect", { status: 302, headers: { Location: "https://example.org/" } }, "no results in JSON", "baseUrl"],
  ["huge", { bytes: 5 * 1024 * 1024 }, "is larger than 4194304 bytes", "Ask for less"],
];

test.each(MISTAKES)(
  "an answer that is of no use names the service and the fix: %s",
  async (name, answer, says, hint) => {
    const failure = await tavily(`ws-mistake-${name}`, answer).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: "SearchError", hint: expect.stringContaining(hint) });
    expect(String(failure)).toContain("Tavily gives no results");
    expect(String(failure)).toContain(says);
    expect(String(failure)).not.toMatch(/secret word|the-key/);
    expect(await heard(`ws-mistake-${name}`)).toHaveLength(1);
  },
);

test("a service that does not answer in time is named", async () => {
  await expect(tavily("ws-slow", { hang: "head" }, { timeoutMs: 50 })).rejects.toThrow(
    "Tavily gives no results: There was no whole answer within 50 ms.",
  );
});

test("a service that was asked too often is asked once more after the time that it says, if that is short", async () => {
  const waits: number[] = [];
  const body = JSON.stringify(SEARCH_ANSWERS.tavily);
  const wait = async (ms: number) => {
    waits.push(ms);
    await serve("ws-again", { "api/search": { headers: JSON_TYPE, body } });
  };
  const { results } = await tavily("ws-again", { status: 429, headers: { "Retry-After": "2" } }, { wait });
  expect(results).toHaveLength(2);
  expect(waits).toEqual([2000]);
});

test("Brave says of a wrong key that it does not understand, and SearXNG that JSON is off", async () => {
  const search = (place: string, provider: SearchProviderId) =>
    open(place, provider).search({ words: "lamps", count: 3 }, signal);
  await serve("ws-brave-key", {
    "api/res/v1/web/search?q=lamps&count=3&result_filter=web&text_decorations=false": {
      status: 422,
      body: JSON.stringify({ error: { code: "SUBSCRIPTION_TOKEN_INVALID", status: 422 }, type: "ErrorResponse" }),
    },
  });
  await expect(search("ws-brave-key", "brave")).rejects.toThrow("it does not accept BRAVE_API_KEY");
  await serve("ws-no-json", { "api/search?q=lamps&format=json": { status: 403, body: "<html>" } });
  await expect(search("ws-no-json", "searxng")).rejects.toMatchObject({
    hint: expect.stringContaining("json has to be one of search.formats"),
  });
  const empty = { query: "lamps", results: [], unresponsive_engines: [["google", "timeout"]] };
  await serve("ws-no-engine", { "api/search?q=lamps&format=json": { body: JSON.stringify(empty) } });
  await expect(search("ws-no-engine", "searxng")).rejects.toThrow("the engines that it asks do not answer");
});

test("results are bounded, of web pages, and each is there once", async () => {
  const result = (url: string, content = "x".repeat(5_000)) => ({ title: "T\n".repeat(400), url, content, score: 1 });
  const body = JSON.stringify({
    results: [
      ...["https://example.org/a", "https://example.org/a", "javascript:alert(1)", "https://user:pw@example.org/"],
      ...[`https://example.org/${"b".repeat(1_000)}`, "https://example.org/c", "https://example.org/d"],
    ].map((url) => result(url)),
  });
  const { results } = await tavily("ws-bounds", { body });
  expect(results.map(({ url }) => url)).toEqual([
    ...["https://example.org/a", "https://example.org/c", "https://example.org/d"],
  ]);
  for (const { title, snippet } of results) {
    expect(title).not.toContain("\n");
    expect(title.length).toBeLessThanOrEqual(300);
    expect(snippet.length).toBeLessThanOrEqual(1_000);
  }
});

function choice(settings: Partial<SearchSettings>, variables: Record<string, string>) {
  const chosen = chooseSearch({ enabled: true, ...settings }, (name) => variables[name]);
  if (chosen.provider === undefined) return `${chosen.kind}: ${chosen.why}`;
  return `${chosen.provider.id} ${chosen.access.baseUrl} ${chosen.variable}`;
}

test("the first service whose variable is set searches, unless the configuration names one", () => {
  const variables = {
    EXA_API_KEY: "e",
    TAVILY_API_KEY: "t",
    SEARXNG_URL: "https://searx.example.org/",
    MY_KEY: "m",
  };
  expect(choice({}, variables)).toBe("tavily https://api.tavily.com TAVILY_API_KEY");
  expect(choice({}, { SEARXNG_URL: variables.SEARXNG_URL })).toBe("searxng https://searx.example.org SEARXNG_URL");
  expect(choice({ provider: "exa" }, variables)).toBe("exa https://api.exa.ai EXA_API_KEY");
  expect(choice({ provider: "searxng", baseUrl: "https://own.example.org" }, {})).toBe(
    "searxng https://own.example.org undefined",
  );
  expect(choice({ apiKey: { id: "MY_KEY" } }, variables)).toBe("brave https://api.search.brave.com MY_KEY");
  expect(
    choice({ provider: "perplexity", apiKey: { id: "MY_KEY" }, baseUrl: "https://proxy.example.org/" }, variables),
  ).toBe("perplexity https://proxy.example.org MY_KEY");
});

test("where no service is ready it is said why", () => {
  expect(choice({}, {})).toBe("unset: No search service is set up, and none answers without a key.");
  expect(choice({ enabled: false }, { EXA_API_KEY: "e" })).toBe("off: tools.web.search.enabled is false.");
  expect(choice({ provider: "exa" }, { TAVILY_API_KEY: "t" })).toContain("broken: Exa is chosen");
  expect(choice({ baseUrl: "https://own.example.org" }, { BRAVE_API_KEY: "b" })).toBe(
    "broken: tools.web.search.baseUrl is set, and not which service is there.",
  );
  expect(choice({}, { SEARXNG_URL: "ftp://host" })).toContain("SEARXNG_URL is no web address");
});
