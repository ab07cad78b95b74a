import { IsopodError } from "../lib/errors.ts";
import type { ProviderConfig } from "./config.ts";
import { isLocalServer } from "./local-server.ts";
import { type AuthConfig, profilesWithKey, providerProfiles } from "./profiles.ts";
import { BUILT_IN_PROVIDERS, type WireFormatName } from "./providers.ts";

/** Where providers and their keys are looked up. */
export interface ProviderSources {
  /** The configured providers; one with the name of a built-in one replaces it. */
  providers: Readonly<Record<string, ProviderConfig>>;
  auth: AuthConfig;
  /** The value of an environment variable. */
  secret(name: string): string | undefined;
}

/** Where a provider is asked, with what, and what is known of its models. */
export interface ProviderAccess {
  baseUrl: string;
  api: WireFormatName;
  /** The variable that its key is looked for in; absent if none is named. */
  keyName?: string;
  apiKey?: string;
  /** Whether requests carry a key, or a header that stands for one. */
  isKeySent: boolean;
  /** Sent with every request. */
  headers: Record<string, string>;
  models: ProviderConfig["models"];
}

/**
 * The access to a provider.
 * @param profile the profile whose key is used; if absent, the provider's first one with a key, else its own key
 * @throws IsopodError `not_configured` with what to set
 */
export function providerAccess(name: string, profile: string | undefined, sources: ProviderSources): ProviderAccess {
  const provider = requireProvider(name, sources);
  const key = keyOf(name, provider, profile, sources);
  return {
    baseUrl: provider.baseUrl,
    api: provider.api ?? BUILT_IN_PROVIDERS[name]?.api ?? "openai-completions",
    isKeySent: key?.value !== undefined || sendsSecretHeader(provider),
    headers: resolveHeaders(name, provider, sources),
    models: provider.models,
    ...(key !== undefined && { keyName: key.name }),
    ...(key?.value !== undefined && { apiKey: key.value }),
  };
}

/** The servers of all providers, as `host:port`. */
export function providerHosts({ providers, secret }: Pick<ProviderSources, "providers" | "secret">): string[] {
  const known = Object.values({ ...BUILT_IN_PROVIDERS, ...providers }).map(({ baseUrl }) => baseUrl);
  return [...known, secret("OPENAI_BASE_URL") ?? ""].flatMap((baseUrl) => {
    const url = URL.parse(baseUrl);
    if (url === null) return [];
    return [`${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`];
  });
}

function requireProvider(name: string, sources: ProviderSources): ProviderConfig {
  const known = new Map(Object.entries({ ...BUILT_IN_PROVIDERS, ...sources.providers }));
  const provider = known.get(name);
  if (provider !== undefined) return provider;
  if (name === "custom") return customProvider(sources);
  throw new IsopodError(
    "not_configured",
    `the model provider '${name}' is not configured`,
    `Add models.providers.${name} to the configuration, or use one of: ${[...known.keys()].join(", ")}.`,
  );
}

/** The provider that OPENAI_BASE_URL and, if set, OPENAI_API_KEY describe. */
function customProvider({ secret }: ProviderSources): ProviderConfig {
  const baseUrl = secret("OPENAI_BASE_URL");
  if (!baseUrl || !URL.canParse(baseUrl)) {
    throw new IsopodError(
      "not_configured",
      "the model provider 'custom' has no base URL",
      "Set OPENAI_BASE_URL to an OpenAI-compatible API, such as http://127.0.0.1:11434/v1.",
    );
  }
  const key = secret("OPENAI_API_KEY") ? { apiKey: { source: "env" as const, id: "OPENAI_API_KEY" } } : {};
  return { baseUrl, api: "openai-completions", headers: {}, models: [], ...key };
}

/**
 * The key of the profile; without one, of the first profile that has a key, else the provider's own, and of a built-in
 * provider at another address its usual one. A server of one's own, or at such an address, is asked without a key that
 * is not set.
 * @returns the variable, and its value where it is set; undefined where no key is named
 */
function keyOf(
  name: string,
  provider: ProviderConfig,
  profile: string | undefined,
  sources: ProviderSources,
): { name: string; value?: string } | undefined {
  const { auth, secret } = sources;
  const inUse = profile ?? profilesWithKey(name, sources)[0];
  const missing = provider.apiKey === undefined ? providerProfiles(name, auth)[0] : undefined;
  const chosen = inUse ?? missing;
  const key = chosen === undefined ? provider.apiKey : auth.profiles[chosen]?.apiKey;
  const usual = key === undefined && !sendsSecretHeader(provider) ? BUILT_IN_PROVIDERS[name]?.apiKey : undefined;
  const id = key?.id ?? usual?.id;
  if (id === undefined) return undefined;
  const isOptional = usual !== undefined || isLocalServer(provider.baseUrl);
  const value = isOptional ? secret(id) : requireSecret(id, name, sources);
  return { name: id, ...(value !== undefined && value !== "" && { value }) };
}

function sendsSecretHeader({ headers }: ProviderConfig): boolean {
  return Object.values(headers).some((value) => typeof value !== "string");
}

function resolveHeaders(name: string, provider: ProviderConfig, sources: ProviderSources): Record<string, string> {
  return Object.fromEntries(
    Object.entries(provider.headers).map(([header, value]) => [
      header,
      typeof value === "string" ? value : requireSecret(value.id, name, sources),
    ]),
  );
}

function requireSecret(id: string, provider: string, { secret }: ProviderSources): string {
  const value = secret(id);
  if (value) return value;
  throw new IsopodError(
    "not_configured",
    `the model provider '${provider}' has no key`,
    `Set ${id}; locally, in .dev.vars.`,
  );
}
