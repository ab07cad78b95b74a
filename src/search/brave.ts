import { z } from "zod";
import type { Freshness, SearchProvider } from "./search-provider.ts";

const FRESHNESS: Readonly<Record<Freshness, string>> = { day: "pd", week: "pw", month: "pm", year: "py" };

/** Brave's names of languages that differ from ISO 639-1. */
const LANGUAGES: Readonly<Record<string, string>> = { ja: "jp", zh: "zh-hans", pt: "pt-pt" };

const answer = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          description: z.string().nullish(),
          page_age: z.string().nullish(),
          age: z.string().nullish(),
        }),
      ),
    })
    .nullish(),
});

/** Brave Search. @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export const brave: SearchProvider = {
  id: "brave",
  name: "Brave Search",
  variable: "BRAVE_API_KEY",
  baseUrl: "https://api.search.brave.com",
  keysAt: "https://api-dashboard.search.brave.com",
  request({ words, count, freshness, site, country, language }, { baseUrl, apiKey }) {
    const searched = language === undefined ? scriptOf(words) : (LANGUAGES[language] ?? language);
    const parameters = new URLSearchParams({
      q: site === undefined ? words : `${words} site:${site}`,
      count: String(Math.min(count, 20)),
      result_filter: "web",
      text_decorations: "false",
      ...(freshness !== undefined && { freshness: FRESHNESS[freshness] }),
      ...(searched !== undefined && { search_lang: searched, country: "ALL" }),
      ...(country !== undefined && { country }),
    });
    return { url: `${baseUrl}/res/v1/web/search?${parameters}`, headers: { "X-Subscription-Token": apiKey ?? "" } };
  },
  read: (found) => ({
    results: (answer.parse(found).web?.results ?? []).map(({ title, url, description, page_age, age }) => ({
      title: withoutMarkup(title),
      url,
      date: page_age ?? age ?? "",
      snippet: withoutMarkup(description ?? ""),
    })),
  }),
  // A wrong key is a request that is not understood.
  refusal: (status, body) => (status === 422 && body.includes("SUBSCRIPTION_TOKEN") ? "key" : undefined),
};

/** Brave takes every search for English unless it is told; the script alone says enough. */
function scriptOf(words: string): string | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words)) return "jp";
  if (/\p{Script=Han}/u.test(words)) return "zh-hans";
  if (/\p{Script=Hangul}/u.test(words)) return "ko";
  return undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The text of a passage in HTML. */
function withoutMarkup(html: string): string {
  return html
    .replace(/<\/?[a-z][^>]*>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point > 0x10ffff ? whole : String.fromCodePoint(point);
    });
}
