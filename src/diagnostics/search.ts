import { chooseSearch } from "../search/choose-search.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Reports which service searches the web, without asking it: every search costs. */
export function examineSearch({ services }: DiagnosticsContext): Check[] {
  if (services === undefined) return [];
  const head = { id: "search.service", area: "search", path: "tools.web.search" } as const;
  const chosen = chooseSearch(services.config.tools.web.search, services.secret);
  if (chosen.provider === undefined) {
    const { kind, why, fix } = chosen;
    if (kind === "broken") return [{ ...head, status: "fail", message: `${why} There is no web_search.`, fix }];
    return [{ ...head, status: "ok", message: `There is no web_search. ${why} ${fix}` }];
  }
  const { provider, access, variable } = chosen;
  const key = variable === undefined ? "" : `, with ${variable}`;
  return [{ ...head, status: "ok", message: `${provider.name} searches the web (${access.baseUrl})${key}.` }];
}
