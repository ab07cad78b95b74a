import { sleep } from "../lib/sleep.ts";
import { chooseSearch } from "../search/choose-search.ts";
import { openWebSearch, type WebSearch } from "../search/web-search.ts";
import { openEgress } from "../security/safe-fetch.ts";
import type { Config } from "./config-schema.ts";
import type { Services } from "./services.ts";

/**
 * Opens the search of the web; undefined if no service is set up. Its egress lets the service's own address through: an
 * instance of SearXNG may be in a private network.
 */
export function openSearch(
  { tools, security }: Config,
  { secret, host }: Pick<Services, "secret" | "host">,
): WebSearch | undefined {
  const chosen = chooseSearch(tools.web.search, secret);
  if (chosen.provider === undefined) return undefined;
  const { allowPrivate, resolverUrl } = security.egress;
  const { hostname, port, protocol } = new URL(chosen.access.baseUrl);
  const own = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return openWebSearch(chosen, {
    egress: openEgress({ allowPrivate: [...allowPrivate, own], resolverUrl }, host),
    timeoutMs: tools.web.search.timeoutSeconds * 1000,
    now: Date.now,
    wait: sleep,
  });
}
