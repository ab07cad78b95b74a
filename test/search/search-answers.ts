/**
 * What the services answer, written after their documentation: two results, of which the second has nothing but what has
 * to be there. All say the same.
 */
export const SEARCH_ANSWERS = {
  /** https://api-dashboard.search.brave.com/app/documentation/web-search/responses */
  brave: {
    type: "search",
    query: {
      original: "harbour lamps",
      show_strict_warning: false,
      is_navigational: false,
      more_results_available: true,
    },
    mixed: { type: "mixed", main: [{ type: "web", index: 0, all: false }], top: [], side: [] },
    web: {
      type: "search",
      results: [
        {
          title: "Lamps &amp; <strong>harbours</strong>",
          url: "https://example.org/lamps",
          is_source_local: false,
          is_source_both: false,
          description: "Forty <strong>lamps</strong> were counted before the morning.",
          page_age: "2026-11-20T08:12:03",
          profile: { name: "Example", url: "https://example.org/lamps", long_name: "example.org" },
          language: "en",
          family_friendly: true,
          type: "search_result",
          subtype: "generic",
          meta_url: { scheme: "https", netloc: "example.org", hostname: "example.org", path: "› lamps" },
          age: "5 days ago",
        },
        { type: "search_result", title: "Second", url: "https://example.org/second" },
      ],
      family_friendly: true,
    },
  },
  /** https://docs.tavily.com/documentation/api-reference/endpoint/search */
  tavily: {
    query: "harbour lamps",
    follow_up_questions: null,
    answer: null,
    images: [],
    results: [
      {
        url: "https://example.org/lamps",
        title: "Lamps & harbours",
        content: "Forty lamps were counted\nbefore the morning.",
        score: 0.81,
        raw_content: null,
        published_date: "Fri, 20 Nov 2026 08:12:03 GMT",
      },
      { url: "https://example.org/second", title: "Second", content: "", score: 0.2, raw_content: null },
    ],
    response_time: 1.67,
    request_id: "123e4567-e89b-12d3-a456-426614174111",
  },
  /** https://docs.exa.ai/reference/search */
  exa: {
    requestId: "b5947044c4b78efa9552a7c89b306d95",
    resolvedSearchType: "neural",
    results: [
      {
        title: "Lamps & harbours",
        url: "https://example.org/lamps",
        publishedDate: "2026-11-20T08:12:03.000Z",
        author: null,
        id: "https://example.org/lamps",
        highlights: ["Forty lamps were counted before the morning."],
        highlightScores: [0.46],
      },
      { title: "Second", url: "https://example.org/second", id: "https://example.org/second", highlights: [] },
    ],
    costDollars: { total: 0.005, search: { neural: 0.005 } },
  },
  /** https://docs.perplexity.ai/api-reference/search-post */
  perplexity: {
    results: [
      {
        title: "Lamps & harbours",
        url: "https://example.org/lamps",
        snippet: "Forty lamps were counted before the morning.",
        date: "2026-11-20",
        last_updated: "2026-11-21",
      },
      { title: "Second", url: "https://example.org/second", snippet: "", date: null, last_updated: null },
    ],
    id: "e38104d5-6bd7-4d82-bc4e-0a21179d1f77",
  },
  /** https://docs.searxng.org/dev/search_api.html */
  searxng: {
    query: "harbour lamps",
    number_of_results: 0,
    results: [
      {
        url: "https://example.org/lamps",
        title: "Lamps & harbours",
        content: "Forty lamps were counted before the morning.",
        publishedDate: "2026-11-20T08:12:03",
        engine: "duckduckgo",
        template: "default.html",
        parsed_url: ["https", "example.org", "/lamps", "", "", ""],
        engines: ["duckduckgo", "brave"],
        positions: [1, 2],
        score: 3.0,
        category: "general",
      },
      { url: "https://example.org/second", title: "Second", content: "", publishedDate: null, engine: "brave" },
    ],
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [["google", "timeout"]],
  },
} as const;
