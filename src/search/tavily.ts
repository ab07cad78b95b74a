import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const answer = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});

/** Tavily. @see https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: SearchProvider = {
  id: "tavily",
  name: "Tavily",
  variable: "TAVILY_API_KEY",
  baseUrl: "https://api.tavily.com",
  keysAt: "https://app.tavily.com",
  request: ({ words, count, freshness, site, country }, { baseUrl, apiKey }) => ({
    url: `${baseUrl}/search`,
    headers: { Authorization: `Bearer ${apiKey}` },
    body: {
      query: words,
      max_results: Math.min(count, 20),
      ...(freshness !== undefined && { time_range: freshness }),
      ...(site !== undefined && { include_domains: [site] }),
      ...(country !== undefined && { country: nameOf(country) }),
    },
  }),
  read: (found) => ({
    results: answer.parse(found).results.map(({ title, url, content, published_date }) => ({
      title: title ?? "",
      url,
      date: published_date ?? "",
      snippet: content ?? "",
    })),
  }),
  // The plan's limit, and the limit that its owner has set for paying as one goes.
  refusal: (status) => (status === 432 || status === 433 ? "plan" : undefined),
};

/** A country's English name, such as `germany`. */
function nameOf(country: string): string {
  return (new Intl.DisplayNames("en", { type: "region" }).of(country) ?? country).toLowerCase();
}
