import type { Agent } from "../../config/agents.ts";
import type { SecretRef } from "../../config/secret-ref.ts";
import type { RemoteOptions } from "./ask-provider.ts";
import { type EmbedderCooldowns, withCooldown } from "./cooldown.ts";
import { EMBEDDER_IDS, type Embedder, type EmbedderId } from "./embedder.ts";
import { geminiEmbedder } from "./gemini.ts";
import { DEFAULT_MODELS, knownModel } from "./known-models.ts";
import { localEmbedder } from "./local.ts";
import { openaiEmbedder } from "./openai.ts";
import { voyageEmbedder } from "./voyage.ts";
import { type EmbeddingBinding, workersAiEmbedder } from "./workers-ai.ts";

/** Dependencies of embedders. */
export interface EmbedderSources {
  /** Reads a variable or secret. */
  secret(name: string): string | undefined;
  /** The Workers AI binding, if there is one. */
  ai: EmbeddingBinding | undefined;
  /** Workers AI works on Cloudflare only. */
  host: "cloudflare-workers" | "workerd";
  fetch: typeof fetch;
  now(): number;
  /** Embedders that failed. Keep one map for the life of the isolate. */
  cooldowns: EmbedderCooldowns;
}

/** The embedders of an agent's memory. */
export interface Embedders {
  /** As configured. */
  requested: string;
  /** Undefined if only words are searched. */
  primary: Embedder | undefined;
  /** Used if the primary fails. */
  fallback: Embedder | undefined;
  /** Why the primary was chosen and what cannot be used, in sentences. */
  why: string;
}

type Settings = Agent["memorySearch"];

/** An embedder, or what it lacks: a phrase that follows its name. */
type OpenedEmbedder = { embedder: Embedder; lack?: undefined } | { embedder?: undefined; lack: string };

/** A provider that is called over HTTP. */
interface Remote {
  make(options: RemoteOptions): Embedder;
  baseUrl: string;
  /** The default variables of its key. */
  keys: readonly string[];
}

const REMOTES: Record<"openai" | "gemini" | "voyage", Remote> = {
  openai: { make: openaiEmbedder, baseUrl: "https://api.openai.com/v1", keys: ["OPENAI_API_KEY"] },
  gemini: {
    make: geminiEmbedder,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
  voyage: { make: voyageEmbedder, baseUrl: "https://api.voyageai.com/v1", keys: ["VOYAGE_API_KEY"] },
};

/**
 * Chooses the embedders of an agent without calling them. If the configured one cannot be used, `why` says so and the
 * fallback is used, or words alone.
 */
export function chooseEmbedders(settings: Settings, sources: EmbedderSources): Embedders {
  const { provider: requested, fallback: spare } = settings;
  if (requested === "none") return wordsOnly(requested, "memorySearch.provider is none.");
  if (!settings.store.vector.enabled) return wordsOnly(requested, "memorySearch.store.vector.enabled is false.");
  const { id, why } =
    requested === "auto"
      ? chooseAutomatically(settings, sources)
      : { id: requested, why: `memorySearch.provider is ${requested}.` };
  // A key and headers belong to one provider and must not be sent to another.
  const own = requested === "auto" && settings.remote.baseUrl === undefined ? withoutRemote(settings) : settings;
  const first = openEmbedder(id, own, sources);
  const isSpare = spare !== "none" && spare !== id;
  const second = isSpare ? openEmbedder(spare, fallbackSettings(id, own), sources) : undefined;
  const spareLack = second?.lack === undefined ? "" : ` The fallback ${spare} cannot be used: ${second.lack}.`;
  if (first.embedder !== undefined) {
    return { requested, primary: first.embedder, fallback: second?.embedder, why: why + spareLack };
  }
  const instead = second?.embedder === undefined ? "words alone are searched" : `the fallback ${spare} takes its place`;
  return {
    requested,
    primary: second?.embedder,
    fallback: undefined,
    why: `${why} It cannot be used: ${first.lack}; ${instead}.${spareLack}`,
  };
}

function wordsOnly(requested: string, why: string): Embedders {
  return { requested, primary: undefined, fallback: undefined, why };
}

/**
 * The provider of `auto`: one that the deployment's owner has made available. Workers AI is in the account that stores
 * the texts anyway. Otherwise a provider with a key, as in OpenClaw, unless that key is for another server.
 */
function chooseAutomatically(
  { remote }: Settings,
  { ai, host, secret }: EmbedderSources,
): { id: EmbedderId; why: string } {
  if (remote.baseUrl !== undefined) {
    const why = "auto: memorySearch.remote.baseUrl is used as a server with OpenAI's API.";
    return { id: "openai", why };
  }
  const isAmbiguous = remote.apiKey !== undefined || Object.keys(remote.headers).length > 0;
  const more = isAmbiguous ? " memorySearch.remote is ignored: name its provider in memorySearch.provider." : "";
  if (ai !== undefined && host === "cloudflare-workers") {
    return { id: "workers-ai", why: `auto: Workers AI is bound.${more}` };
  }
  for (const id of ["openai", "gemini", "voyage"] as const) {
    const key = REMOTES[id].keys.find((name) => secret(name) !== undefined);
    // With a base URL the key is for that server, which may have no embeddings.
    if (key === undefined || (id === "openai" && secret("OPENAI_BASE_URL") !== undefined)) continue;
    return { id, why: `auto: ${key} is set, so the texts of memory are sent to ${id} for embeddings.${more}` };
  }
  return { id: "local", why: `auto: no other provider is available, and local needs no key.${more}` };
}

/** The settings of a fallback: the configured model and server belong to the primary. */
function fallbackSettings(provider: EmbedderId, settings: Settings): Settings {
  if (provider === "local") return settings;
  const { model: _, outputDimensionality: __, ...others } = settings;
  return provider === "workers-ai" ? others : withoutRemote(others);
}

function withoutRemote(settings: Settings): Settings {
  return { ...settings, remote: { batch: settings.remote.batch, headers: {} } };
}

function openEmbedder(id: EmbedderId, settings: Settings, sources: EmbedderSources): OpenedEmbedder {
  if (id === "local") return { embedder: localEmbedder() };
  const model = settings.model ?? DEFAULT_MODELS[id];
  const size = modelSize(id, model, settings.outputDimensionality);
  if ("lack" in size) return size;
  const { dimensions } = size;
  const space = `${id}/${model}/${dimensions}`;
  if (id !== "workers-ai") return openRemote(id, { ...size, model, space }, settings.remote, sources);
  if (sources.ai === undefined) return { lack: "the binding AI is missing in wrangler.toml" };
  if (sources.host === "workerd") return { lack: "Workers AI works on Cloudflare only" };
  return cooled(workersAiEmbedder(sources.ai, { model, dimensions, space }), space, sources);
}

type Size = Pick<RemoteOptions, "dimensions" | "asksDimensions" | "maxTokens">;

/** The number of dimensions of a model, known or configured. */
function modelSize(id: EmbedderId, model: string, wanted: number | undefined): Size | { lack: string } {
  const known = knownModel(id, model);
  if (known === undefined) {
    if (wanted === undefined) {
      return { lack: `its model '${model}' is unknown: set memorySearch.outputDimensionality` };
    }
    return { dimensions: wanted, asksDimensions: false, maxTokens: UNKNOWN_MAX_TOKENS };
  }
  const { dimensions, isFlexible, maxTokens } = known;
  if (!isFlexible && wanted !== undefined && wanted !== dimensions) {
    return {
      lack: `its model '${model}' gives ${dimensions} dimensions, and memorySearch.outputDimensionality is ${wanted}`,
    };
  }
  return { dimensions: wanted ?? dimensions, asksDimensions: isFlexible, maxTokens };
}

/** Nearly all models accept this. */
const UNKNOWN_MAX_TOKENS = 2048;

function openRemote(
  id: keyof typeof REMOTES,
  model: Size & { model: string; space: string },
  remote: Settings["remote"],
  sources: EmbedderSources,
): OpenedEmbedder {
  const provider = REMOTES[id];
  const elsewhere = remote.baseUrl ?? (id === "openai" ? sources.secret("OPENAI_BASE_URL") : undefined);
  if (elsewhere !== undefined && !URL.canParse(elsewhere)) return { lack: "OPENAI_BASE_URL is not a URL" };
  const baseUrl = (elsewhere ?? provider.baseUrl).replace(/\/+$/, "");
  const isOwnAddress = baseUrl === provider.baseUrl;
  // A key is sent to its provider only, unless it is configured for a server.
  const keys =
    remote.apiKey !== undefined
      ? [remote.apiKey.id]
      : remote.baseUrl !== undefined && !isOwnAddress
        ? []
        : provider.keys;
  const key = keys.find((name) => sources.secret(name) !== undefined);
  const isKeyNeeded = isOwnAddress || remote.apiKey !== undefined;
  if (key === undefined && isKeyNeeded)
    return { lack: `${keys.join(" and ")} ${keys.length > 1 ? "are" : "is"} not set` };
  const headers = headerValues(remote.headers, sources.secret);
  if ("lack" in headers) return headers;
  const space = isOwnAddress ? model.space : `${model.space} at ${baseUrl.replace(/^https?:\/\//, "")}`;
  const apiKey = key && sources.secret(key);
  const embedder = provider.make({
    ...model,
    space,
    baseUrl,
    isOwnAddress,
    apiKey,
    headers: headers.values,
    fetch: sources.fetch,
  });
  return cooled(embedder, `${space} with ${key ?? "no key"}`, sources);
}

function headerValues(
  headers: Record<string, string | SecretRef>,
  secret: EmbedderSources["secret"],
): { values: Record<string, string> } | { lack: string } {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = typeof value === "string" ? value : secret(value.id);
    if (text === undefined) return { lack: `the header ${name} of memorySearch.remote.headers has no value` };
    values[name.toLowerCase()] = text;
  }
  return { values };
}

function cooled(embedder: Embedder, name: string, { cooldowns, now }: EmbedderSources): OpenedEmbedder {
  return { embedder: withCooldown(embedder, name, cooldowns, now) };
}

const SPACE = /^(?<provider>[^/]+)\/(?<model>.+)\/(?<dimensions>\d+)(?: at .+)?$/;

/**
 * The embedder of an earlier space, chosen as if it were configured; undefined if the result would be another one or
 * none, for example because its key is gone or its server has changed.
 */
export function embedderForSpace(
  space: string,
  settings: Settings,
  choose: (settings: Settings) => { primary: Embedder | undefined },
): Embedder | undefined {
  const { provider: id, model, dimensions } = SPACE.exec(space)?.groups ?? {};
  const provider = EMBEDDER_IDS.find((known) => known === id);
  if (provider === undefined || model === undefined) return undefined;
  // The configured key and server belong to the configured provider and must not be used for another.
  const remote = isConfigured(provider, settings) ? settings.remote : { batch: settings.remote.batch, headers: {} };
  const outputDimensionality = Number(dimensions);
  const { primary } = choose({ ...settings, provider, model, outputDimensionality, remote, fallback: "none" });
  return primary?.space === space ? primary : undefined;
}

/** Whether a provider is configured: by name, or by `auto`, which uses any server as an OpenAI compatible one. */
function isConfigured(provider: EmbedderId, { provider: configured, remote }: Settings): boolean {
  return provider === configured || (configured === "auto" && provider === "openai" && remote.baseUrl !== undefined);
}
