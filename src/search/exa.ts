import { z } from "zod";
import type { Freshness, SearchProvider } from "./search-provider.ts";

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 365 };
/** The most of a page in one result, in characters. */
const MAX_HIGHLIGHT_CHARS = 800;

const answer = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      publishedDate: z.string().nullish(),
      highlights: z.array(z.string()).nullish(),
      text: z.string().nullish(),
    }),
  ),
  costDollars: z.object({ total: z.number() }).nullish(),
});

/** Exa. @see https://docs.exa.ai/reference/search */
export const exa: SearchProvider = {
  id: "exa",
  name: "Exa",
  variable: "EXA_API_KEY",
  baseUrl: "https://api.exa.ai",
  keysAt: "https://dashboard.exa.ai/api-keys",
  request: ({ words, count, freshness, site, country, now }, { baseUrl, apiKey }) => ({
    url: `${baseUrl}/search`,
    headers: { "x-api-key": apiKey ?? "" },
    body: {
      query: words,
      numResults: count,
      contents: { highlights: { maxCharacters: MAX_HIGHLIGHT_CHARS } },
      ...(freshness !== undefined && {
        startPublishedDate: new Date(now - DAYS[freshness] * DAY_MS).toISOString(),
      }),
      ...(site !== undefined && { includeDomains: [site] }),
      ...(country !== undefined && { userLocation: country }),
    },
  }),
  read(found) {
    const { results, costDollars } = answer.parse(found);
    return {
      results: results.map(({ title, url, publishedDate, highlights, text }) => ({
        title: title ?? "",
        url,
        date: publishedDate ?? "",
        snippet: highlights?.join(" … ") || (text ?? ""),
      })),
      ...(costDollars && { costMicros: Math.round(costDollars.total * 1_000_000) }),
    };
  },
};
