import { createDnsLookup } from "./name-lookup.ts";
import { createSafeFetch, type SafeFetch } from "./safe-fetch.ts";

/** `security.egress` of the configuration. */
export interface EgressRules {
  allowPrivate: readonly string[];
  /** Where names are looked up, by DNS over HTTPS. */
  resolverUrl: string;
}

/**
 * Opens the way to the outside by the rules of the configuration. Names are looked up on a machine of one's own only: there
 * `fetch` reaches whatever the machine does, while Cloudflare's edge leads to the public internet alone.
 */
export function openEgress({ allowPrivate, resolverUrl }: EgressRules, host: string): SafeFetch {
  const fetcher: typeof fetch = (input, init) => fetch(input, init);
  const lookup = host === "workerd" ? createDnsLookup(resolverUrl, fetcher) : undefined;
  return createSafeFetch({ fetch: fetcher, allowPrivate, lookup });
}
