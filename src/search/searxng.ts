import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const answer = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
  unresponsive_engines: z.array(z.unknown()).nullish(),
});

/** An instance of SearXNG that the owner runs. @see https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchProvider = {
  id: "searxng",
  name: "SearXNG",
  variable: "SEARXNG_URL",
  keysAt: "https://docs.searxng.org",
  request({ words, freshness, site, language }, { baseUrl }) {
    const parameters = new URLSearchParams({
      q: site === undefined ? words : `${words} site:${site}`,
      format: "json",
      ...(freshness !== undefined && { time_range: freshness }),
      ...(language !== undefined && { language }),
    });
    return { url: `${baseUrl}/search?${parameters}` };
  },
  read(found) {
    const { results, unresponsive_engines } = answer.parse(found);
    // Some engine fails in nearly every search; it matters only where nothing was found.
    if (results.length === 0 && (unresponsive_engines ?? []).length > 0) {
      throw new Error("the engines that it asks do not answer");
    }
    return {
      results: results.map(({ title, url, content, publishedDate }) => ({
        title: title ?? "",
        url,
        date: publishedDate ?? "",
        snippet: content ?? "",
      })),
    };
  },
  // JSON is off where an instance is new.
  refusal: (status) => (status === 403 ? "format" : undefined),
};
