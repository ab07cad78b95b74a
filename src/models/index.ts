import { IsopodError } from "../lib/errors.ts";
import type { WireFormat } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { INPUT_KINDS, type InputKind, knownInput } from "./input-kinds.ts";
import { modelLimits } from "./limits.ts";
import type { Model, ModelResolver } from "./model.ts";
import { OFFLINE_REF, offlineModel } from "./offline.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";
import { providerIn } from "./profiles.ts";
import { type ProviderSources, providerAccess } from "./provider-access.ts";
import type { WireFormatName } from "./providers.ts";

/** The wire formats by name. `offline` has no wire format and is resolved separately. */
const WIRE_FORMATS: Readonly<Record<WireFormatName, WireFormat>> = {
  "openai-completions": openaiCompletions,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
};

/** Providers whose models put reasoning into tags by default. */
const TAGGING: ReadonlySet<string> = new Set(["minimax", "minimax-cn", "google-gemini-cli"]);

/** What a resolver needs. */
export interface ModelSources extends ProviderSources {
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
  const { baseUrl, api, apiKey, keyName, isKeySent, headers, models } = providerAccess(name, profile, sources);
  const configured = models.find(({ id }) => id === modelId);
  const limits = modelLimits(modelId);
  const model = WIRE_FORMATS[api]({
    ref,
    modelId,
    baseUrl,
    apiKey,
    headers,
    contextWindow: configured?.contextWindow ?? limits.contextWindow,
    maxOutputTokens: configured?.maxTokens ?? limits.maxOutputTokens,
    limitsOutput: configured?.maxTokens !== undefined,
    reasoning: configured?.reasoning,
    input: inputOf(configured?.input) ?? knownInput(modelId),
    fetch: sources.fetch,
  });
  const isTagged = configured?.reasoningFormat === "tagged" || (!configured?.reasoningFormat && TAGGING.has(name));
  return {
    ...model,
    access: { baseUrl, isKeySent, ...(keyName !== undefined && { keyName }) },
    ...(isTagged && { tagsReasoning: true }),
    ...(configured?.cost !== undefined && { price: configured.cost }),
  };
}

/** The configured input of a model, besides text. */
function inputOf(configured: readonly string[] | undefined): readonly InputKind[] | undefined {
  return configured && INPUT_KINDS.filter((kind) => configured.includes(kind));
}
