import { z } from "zod";
import { readCapped } from "../lib/read-capped.ts";

/**
 * Resolves a name to its IPv4 and IPv6 addresses; empty if it has none, undefined if there was no answer.
 * @throws only the signal's abort reason
 */
export type NameLookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[] | undefined>;

/** The default DNS-over-HTTPS resolver. */
export const DEFAULT_RESOLVER_URL = "https://cloudflare-dns.com/dns-query";

const MAX_ANSWER_BYTES = 64 * 1024;
const RECORD_TYPES = { A: 1, AAAA: 28 } as const;

/** The JSON format of DNS over HTTPS, as Cloudflare and Google serve it. */
const answer = z.object({
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
});

/** Resolves names by DNS over HTTPS: a Worker has no resolver of its own. */
export function createDnsLookup(resolverUrl: string, fetcher: typeof fetch): NameLookup {
  return async (hostname, signal) => {
    const [four, six] = await Promise.all([ask("A", hostname, signal), ask("AAAA", hostname, signal)]);
    return four === undefined || six === undefined ? undefined : [...four, ...six];
  };

  /** Both record types must be answered: the unanswered one could hold the private address. */
  async function ask(
    type: keyof typeof RECORD_TYPES,
    name: string,
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    const url = new URL(resolverUrl);
    url.searchParams.set("name", name);
    url.searchParams.set("type", type);
    try {
      const response = await fetcher(url.href, {
        headers: { Accept: "application/dns-json" },
        redirect: "manual",
        signal,
      });
      const body = await readCapped(response.body, MAX_ANSWER_BYTES);
      if (response.status !== 200 || body === undefined) return undefined;
      const { Answer } = answer.parse(JSON.parse(new TextDecoder().decode(body)));
      return Answer.filter((record) => record.type === RECORD_TYPES[type]).map(({ data }) => data);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }
}
