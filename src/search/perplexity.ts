import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const answer = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      snippet: z.string().nullish(),
      date: z.string().nullish(),
    }),
  ),
});

/** Perplexity's Search API. @see https://docs.perplexity.ai/api-reference/search-post */
export const perplexity: SearchProvider = {
  id: "perplexity",
  name: "Perplexity",
  variable: "PERPLEXITY_API_KEY",
  baseUrl: "https://api.perplexity.ai",
  keysAt: "https://www.perplexity.ai/settings/api",
  request: ({ words, count, freshness, site, country, language }, { baseUrl, apiKey }) => ({
    url: `${baseUrl}/search`,
    headers: { Authorization: `Bearer ${apiKey}` },
    body: {
      query: words,
      max_results: Math.min(count, 20),
      ...(freshness !== undefined && { search_recency_filter: freshness }),
      ...(site !== undefined && { search_domain_filter: [site] }),
      ...(country !== undefined && { country }),
      ...(language !== undefined && { search_language_filter: [language] }),
    },
  }),
  read: (found) => ({
    results: answer.parse(found).results.map(({ title, url, snippet, date }) => ({
      title: title ?? "",
      url,
      date: date ?? "",
      snippet: snippet ?? "",
    })),
  }),
};
