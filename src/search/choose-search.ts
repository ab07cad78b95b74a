import type { SearchAccess, SearchProvider, SearchProviderId } from "./search-provider.ts";
import { SEARCH_PROVIDERS } from "./search-providers.ts";

/** `tools.web.search`, as far as it says which service is used. */
export interface SearchSettings {
  enabled: boolean;
  provider?: SearchProviderId | undefined;
  apiKey?: { id: string } | undefined;
  baseUrl?: string | undefined;
}

/** A service that can be asked. */
export interface ChosenSearch {
  provider: SearchProvider;
  access: SearchAccess;
  /** The variable that its key or address is in; absent for an address of the configuration. */
  variable: string | undefined;
}

/** Why there is no search. `off` and `unset` are as somebody wants it, `broken` is not. */
export interface NoSearch {
  provider?: undefined;
  kind: "off" | "unset" | "broken";
  /** A sentence. */
  why: string;
  fix: string;
}

/**
 * Chooses the service that searches, without asking it: the configured one, else the first whose variable is set. A key
 * that is named alone is one of Brave's, as in OpenClaw.
 */
export function chooseSearch(
  settings: SearchSettings,
  secret: (name: string) => string | undefined,
): ChosenSearch | NoSearch {
  const { enabled, provider: named, apiKey } = settings;
  if (!enabled) {
    return { kind: "off", why: "tools.web.search.enabled is false.", fix: "Set tools.web.search.enabled to true." };
  }
  const id = named ?? (apiKey === undefined ? undefined : "brave");
  if (id === undefined && settings.baseUrl !== undefined) {
    // A key must not go to an address that is meant for another service.
    const why = "tools.web.search.baseUrl is set, and not which service is there.";
    return { kind: "broken", why, fix: "Set tools.web.search.provider." };
  }
  const provider = SEARCH_PROVIDERS.find((one) =>
    id === undefined ? secret(one.variable) !== undefined : one.id === id,
  );
  if (provider !== undefined) return open(provider, settings, secret);
  const variables = SEARCH_PROVIDERS.map(({ variable }) => variable);
  const fix = `Set one of ${variables.join(", ")}; see docs://web.`;
  return { kind: "unset", why: "No search service is set up, and none answers without a key.", fix };
}

function open(
  provider: SearchProvider,
  { apiKey, baseUrl }: SearchSettings,
  secret: (name: string) => string | undefined,
): ChosenSearch | NoSearch {
  const { name, keysAt } = provider;
  // A service without an address of its own has no key, and its variable is the address.
  const isOwnInstance = provider.baseUrl === undefined;
  const variable = isOwnInstance ? provider.variable : (apiKey?.id ?? provider.variable);
  const value = secret(variable);
  const address = (baseUrl ?? provider.baseUrl ?? value)?.replace(/\/+$/, "");
  if (address === undefined || !(isOwnInstance || value !== undefined)) {
    const why = `${name} is chosen to search the web, and ${variable} is not set.`;
    return { kind: "broken", why, fix: `Set ${variable} (${keysAt}).` };
  }
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? "")) {
    const why = `${name} is chosen to search the web, and ${variable} is no web address.`;
    return { kind: "broken", why, fix: `Write it as https://host, without a login.` };
  }
  return {
    provider,
    access: { baseUrl: address, apiKey: isOwnInstance ? undefined : value },
    variable: isOwnInstance && baseUrl !== undefined ? undefined : variable,
  };
}
