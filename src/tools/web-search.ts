import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "../agent/tool.ts";
import { looksSecret } from "../config/secret-ref.ts";
import { hostOf } from "../lib/url.ts";
import { NO_USAGE } from "../models/message.ts";
import { SearchError } from "../search/search-error.ts";
import { FRESHNESS, type SearchAnswer, type SearchQuery } from "../search/search-provider.ts";
import type { WebSearch } from "../search/web-search.ts";
import { fromOutside, type OutsidePort } from "../security/from-outside.ts";
import { hostLabel, joinLabels } from "../security/labels.ts";
import type { KeyedCache } from "./keyed-cache.ts";

/** What the web is searched with. */
export interface WebSearchPort {
  service: WebSearch;
  /** Answers of the last minutes. */
  answers: KeyedCache<SearchAnswer>;
  /** Results of a call that does not say how many. */
  maxResults: number;
  /** The door for what is found. */
  outside: OutsidePort;
}

const parameters = z.strictObject({
  query: z.string().min(1).max(400).describe("A few words, in the language of the pages"),
  count: z.int().min(1).max(20).optional().describe("Most results"),
  freshness: z.enum(FRESHNESS).optional().describe("At most so old"),
  site: z.string().min(1).max(253).optional().describe("Only this host: example.org"),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, "give two letters, such as DE")
    .optional()
    .describe("Of the pages: DE"),
  language: z
    .string()
    .regex(/^[A-Za-z]{2}$/, "give two letters, such as de")
    .optional()
    .describe("Of the pages: de"),
});

type Args = z.infer<typeof parameters>;

/** Searches the web. Safe to replay: it only reads. */
export function webSearchTool(port: WebSearchPort): Tool<Args> {
  return defineTool({
    name: "web_search",
    summary: "Search the web",
    description:
      "Searches the web for titles, addresses, dates and excerpts. Use it for what is new, what changes, and what " +
      "you are not sure of. Excerpts may be old or wrong: check the date, and web_fetch the page where it matters. " +
      "Link in your answer the pages that it rests on.",
    parameters,
    replay: "safe",
    sequential: false,
    effects: ({ query }) => [
      { kind: "query", url: port.service.url, ...(query.split(/\s+/).some(looksSecret) && { secretWords: query }) },
    ],
    async run(args, { signal }) {
      const query = queryOf(args, port);
      const key = JSON.stringify([port.service.url, query]);
      const known = port.answers.find(key);
      if (known !== undefined) return shown(known, args, port);
      const answer = await search(query, port, signal);
      port.answers.keep(key, answer);
      const { costMicros } = answer;
      return { ...shown(answer, args, port), ...(costMicros !== undefined && { usage: { ...NO_USAGE, costMicros } }) };
    },
  });
}

/** @throws Error if `site` is no host */
function queryOf(
  { query, count, freshness, site, country, language }: Args,
  { maxResults }: WebSearchPort,
): Omit<SearchQuery, "now"> {
  const host = site === undefined ? undefined : URL.parse(/^https?:/.test(site) ? site : `https://${site}`)?.hostname;
  if (site !== undefined && !host) throw new Error(`site is no host: ${site}. Write it as example.org.`);
  return {
    words: query,
    count: count ?? maxResults,
    ...(freshness !== undefined && { freshness }),
    ...(host !== undefined && { site: host }),
    ...(country !== undefined && { country: country.toUpperCase() }),
    ...(language !== undefined && { language: language.toLowerCase() }),
  };
}

async function search(
  query: Omit<SearchQuery, "now">,
  { service }: WebSearchPort,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  try {
    return await service.search(query, signal);
  } catch (thrown) {
    if (!(thrown instanceof SearchError)) throw thrown;
    throw new Error(`${thrown.message} ${thrown.hint}`, { cause: thrown });
  }
}

/** The results, fenced, with the labels of their hosts. */
function shown({ results }: SearchAnswer, { freshness, site }: Args, { service, outside }: WebSearchPort): ToolOutput {
  if (results.length === 0) {
    const limits = freshness === undefined && site === undefined ? "" : ", or search without freshness and site";
    return { text: `${service.name} has found nothing. Try other words${limits}.` };
  }
  const entries = results.map(({ title, url, date, snippet }, index) =>
    [`${index + 1}. ${title || hostOf(url)}`, url, date, snippet].filter((line) => line !== "").join("\n"),
  );
  const fenced = fromOutside(
    {
      text: entries.join("\n\n"),
      source: "web_search",
      labels: joinLabels(results.map(({ url }) => hostLabel(hostOf(url)))),
      metadata: { Service: service.name },
    },
    outside,
  );
  return { ...fenced, sources: results.map(({ url, title }) => ({ url, title })) };
}
