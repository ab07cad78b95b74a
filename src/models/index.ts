import { IsopodError } from "../lib/errors.ts";
import type { WireFormat } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { ProviderConfig } from "./config.ts";
import { modelLimits } from "./limits.ts";
import { isLocalServer } from "./local-server.ts";
import type { Model, ModelResolver } from "./model.ts";
import { OFFLINE_REF, offlineModel } from "./offline.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";
import { type AuthConfig, profilesWithKey, providerIn, providerProfiles } from "./profiles.ts";
import { BUILT_IN_PROVIDERS, type WireFormatName } from "./providers.ts";

/** The wire formats by name. `offline` has no wire format and is resolved separately. */
const WIRE_FORMATS: Readonly<Record<WireFormatName, WireFormat>> = {
  "openai-completions": openaiCompletions,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
};

/** Providers whose models put reasoning into tags by default. */
const TAGGING: ReadonlySet<string> = new Set(["minimax", "minimax-cn", "google-gemini-cli"]);

/** What a resolver needs. */
export interface ModelSources {
  /** The configured providers; one with the name of a built-in one replaces it. */
  providers: Readonly<Record<string, ProviderConfig>>;
  auth: AuthConfig;
  /** The value of an environment variable. */
  secret(name: string): string | undefined;
  fetch: typeof fetch;
}

/** Creates models from the configuration, once for each reference and profile. */
export function createModelResolver(sources: ModelSources): ModelResolver {
  const made = new Map<string, Model>();
  return {
    resolve(ref, profile) {
      const name = `${ref} ${profile ?? ""}`;
      const model = made.get(name) ?? makeModel(ref, profile, sources);
      made.set(name, model);
      return model;
    },
  };
}

/**
 * The model of a deployment without a configured one: with OPENAI_BASE_URL the model ISOPOD_MODEL (or OPENAI_MODEL)
 * there, else ISOPOD_MODEL as `provider/model`, else a model of the provider whose key is set, else `offline/rules`.
 */
export function defaultModelRef(env: (name: string) => string | undefined): string {
  const named = env("ISOPOD_MODEL")?.trim() || undefined;
  if (named === OFFLINE_REF) return named;
  if (env("OPENAI_BASE_URL")) return `custom/${(named ?? env("OPENAI_MODEL") ?? "").replace(/^custom\//, "")}`;
  if (named !== undefined) return named;
  if (env("OPENAI_API_KEY")) return "openai/gpt-6.1-sol";
  if (env("ANTHROPIC_API_KEY")) return "anthropic/claude-sonnet-5-5";
  return OFFLINE_REF;
}

function makeModel(ref: string, profile: string | undefined, sources: ModelSources): Model {
  if (ref === OFFLINE_REF) return offlineModel();
  const name = providerIn(ref);
  const modelId = ref.slice(name.length + 1);
  if (name === "" || modelId === "") {
    throw new IsopodError(
      "not_configured",
      `'${ref}' names no model`,
      "Write it as `provider/model`; set ISOPOD_MODEL.",
    );
  }
  const provider = requireProvider(name, sources);
  const configured = provider.models.find(({ id }) => id === modelId);
  const limits = modelLimits(modelId);
  const key = keyOf(name, provider, profile, sources);
  const isKeySent = key?.value !== undefined || sendsSecretHeader(provider);
  const api = provider.api ?? BUILT_IN_PROVIDERS[name]?.api ?? "openai-completions";
  const model = WIRE_FORMATS[api]({
    ref,
    modelId,
    baseUrl: provider.baseUrl,
    apiKey: key?.value,
    headers: resolveHeaders(name, provider, sources),
    contextWindow: configured?.contextWindow ?? limits.contextWindow,
    maxOutputTokens: configured?.maxTokens ?? limits.maxOutputTokens,
    limitsOutput: configured?.maxTokens !== undefined,
    reasoning: configured?.reasoning,
    fetch: sources.fetch,
  });
  const isTagged = configured?.reasoningFormat === "tagged" || (!configured?.reasoningFormat && TAGGING.has(name));
  return {
    ...model,
    access: { baseUrl: provider.baseUrl, isKeySent, ...(key !== undefined && { keyName: key.name }) },
    ...(isTagged && { tagsReasoning: true }),
    ...(configured?.cost !== undefined && { price: configured.cost }),
  };
}

function requireProvider(name: string, sources: ModelSources): ProviderConfig {
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
function customProvider({ secret }: ModelSources): ProviderConfig {
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
  sources: ModelSources,
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

function resolveHeaders(name: string, provider: ProviderConfig, sources: ModelSources): Record<string, string> {
  return Object.fromEntries(
    Object.entries(provider.headers).map(([header, value]) => [
      header,
      typeof value === "string" ? value : requireSecret(value.id, name, sources),
    ]),
  );
}

function requireSecret(id: string, provider: string, { secret }: ModelSources): string {
  const value = secret(id);
  if (value) return value;
  throw new IsopodError(
    "not_configured",
    `the model provider '${provider}' has no key`,
    `Set ${id}; locally, in .dev.vars.`,
  );
}
