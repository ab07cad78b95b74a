import type { Agent } from "../../config/agents.ts";
import type { SecretRef } from "../../config/secret-ref.ts";
import type { RemoteOptions } from "./ask-provider.ts";
import type { Embedder, EmbedderId } from "./embedder.ts";
import { geminiEmbedder } from "./gemini.ts";
import { knownModel, USUAL_MODELS } from "./known-models.ts";
import { localEmbedder } from "./local.ts";
import { openaiEmbedder } from "./openai.ts";
import { type EmbedderRests, withRests } from "./rest.ts";
import { voyageEmbedder } from "./voyage.ts";
import { type EmbeddingBinding, workersAiEmbedder } from "./workers-ai.ts";

/** What embedders are made from. */
export interface EmbedderSources {
  /** The value of a variable or secret. */
  secret(name: string): string | undefined;
  /** Workers AI, where it is bound. */
  ai: EmbeddingBinding | undefined;
  /** Workers AI answers on Cloudflare alone. */
  host: "cloudflare-workers" | "workerd";
  fetch: typeof fetch;
  now(): number;
  /** Who is left alone for a while; to be kept as long as the isolate lives. */
  rests: EmbedderRests;
}

/** Who makes the embeddings of an agent's memory. */
export interface Embedders {
  /** As configured. */
  requested: string;
  /** Undefined where there are words alone. */
  primary: Embedder | undefined;
  /** Who is asked where that one fails. */
  fallback: Embedder | undefined;
  /** Why it is who it is, and who cannot be asked: sentences. */
  why: string;
}

type Settings = Agent["memorySearch"];

/** An embedder, or what it lacks: half a sentence that goes on after its name. */
type Found = { embedder: Embedder; lack?: undefined } | { embedder?: undefined; lack: string };

/** A provider that is asked over HTTP. */
interface Remote {
  make(options: RemoteOptions): Embedder;
  baseUrl: string;
  /** The variables that usually hold its key. */
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
 * Says who makes an agent's embeddings. Asks nobody. Who is configured and cannot be asked is told in `why`, and the
 * fallback takes the place, else words alone do.
 */
export function chooseEmbedders(settings: Settings, sources: EmbedderSources): Embedders {
  const { provider: requested, fallback: spare } = settings;
  if (requested === "none") return words(requested, "memorySearch.provider is none.");
  if (!settings.store.vector.enabled) return words(requested, "memorySearch.store.vector.enabled is false.");
  const { id, why } = requested === "auto" ? automatic(settings, sources) : named(requested);
  // A key and headers are somebody's, and nobody else is to get them.
  const own = requested === "auto" && settings.remote.baseUrl === undefined ? withoutRemote(settings) : settings;
  const first = open(id, own, sources);
  const isSpare = spare !== "none" && spare !== id;
  const second = isSpare ? open(spare, leftFor(id, own), sources) : undefined;
  const spareLack = second?.lack === undefined ? "" : ` The fallback ${spare} cannot be asked: ${second.lack}.`;
  if (first.embedder !== undefined) {
    return { requested, primary: first.embedder, fallback: second?.embedder, why: why + spareLack };
  }
  const instead = second?.embedder === undefined ? "words alone are searched" : `the fallback ${spare} takes its place`;
  return {
    requested,
    primary: second?.embedder,
    fallback: undefined,
    why: `${why} It cannot be asked: ${first.lack}; ${instead}.${spareLack}`,
  };
}

function words(requested: string, why: string): Embedders {
  return { requested, primary: undefined, fallback: undefined, why };
}

function named(id: EmbedderId): { id: EmbedderId; why: string } {
  return { id, why: `memorySearch.provider is ${id}.` };
}

/**
 * Whom `auto` means: whoever gets texts that the deployment's owner has given a way to get them. Workers AI is in the account
 * that keeps them anyway. A provider with a key follows, as in OpenClaw, but never one whose key is another server's.
 */
function automatic({ remote }: Settings, { ai, host, secret }: EmbedderSources): { id: EmbedderId; why: string } {
  if (remote.baseUrl !== undefined) {
    const why = "auto: memorySearch.remote.baseUrl is taken for a server that speaks OpenAI's language.";
    return { id: "openai", why };
  }
  const isNobodys = remote.apiKey !== undefined || Object.keys(remote.headers).length > 0;
  const more = isNobodys ? " Whose memorySearch.remote is, memorySearch.provider has to say." : "";
  if (ai !== undefined && host === "cloudflare-workers") {
    return { id: "workers-ai", why: `auto: Workers AI is bound.${more}` };
  }
  for (const id of ["openai", "gemini", "voyage"] as const) {
    const key = REMOTES[id].keys.find((name) => secret(name) !== undefined);
    // With a base URL the key is that server's, which is asked for answers and may have no embeddings.
    if (key === undefined || (id === "openai" && secret("OPENAI_BASE_URL") !== undefined)) continue;
    return { id, why: `auto: ${key} is set, so that the texts of memory go to ${id} for their embeddings.${more}` };
  }
  return { id: "local", why: `auto: nobody else can be asked, and local needs no key.${more}` };
}

/** The settings of a fallback: the model that is named is the provider's, and so is the server, where it has such a thing. */
function leftFor(provider: EmbedderId, settings: Settings): Settings {
  if (provider === "local") return settings;
  const { model: _, outputDimensionality: __, ...others } = settings;
  return provider === "workers-ai" ? others : withoutRemote(others);
}

function withoutRemote(settings: Settings): Settings {
  return { ...settings, remote: { batch: settings.remote.batch, headers: {} } };
}

function open(id: EmbedderId, settings: Settings, sources: EmbedderSources): Found {
  if (id === "local") return { embedder: localEmbedder() };
  const model = settings.model ?? USUAL_MODELS[id];
  const size = sizeOf(id, model, settings.outputDimensionality);
  if ("lack" in size) return size;
  const { dimensions } = size;
  const space = `${id}/${model}/${dimensions}`;
  if (id !== "workers-ai") return openRemote(id, { ...size, model, space }, settings.remote, sources);
  if (sources.ai === undefined) return { lack: "the binding AI is missing in wrangler.toml" };
  if (sources.host === "workerd") return { lack: "Workers AI answers on Cloudflare alone" };
  return rested(workersAiEmbedder(sources.ai, { model, dimensions, space }), space, sources);
}

type Size = Pick<RemoteOptions, "dimensions" | "asksDimensions" | "maxTokens">;

/** How long a model's vectors are: as is known of it, or as is configured. */
function sizeOf(id: EmbedderId, model: string, wanted: number | undefined): Size | { lack: string } {
  const known = knownModel(id, model);
  if (known === undefined) {
    if (wanted === undefined) {
      return { lack: `nothing is known of its model '${model}': set memorySearch.outputDimensionality` };
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

/** What nearly all models take. */
const UNKNOWN_MAX_TOKENS = 2048;

function openRemote(
  id: keyof typeof REMOTES,
  model: Size & { model: string; space: string },
  remote: Settings["remote"],
  sources: EmbedderSources,
): Found {
  const provider = REMOTES[id];
  const elsewhere = remote.baseUrl ?? (id === "openai" ? sources.secret("OPENAI_BASE_URL") : undefined);
  if (elsewhere !== undefined && !URL.canParse(elsewhere)) return { lack: "OPENAI_BASE_URL is no address" };
  const baseUrl = (elsewhere ?? provider.baseUrl).replace(/\/+$/, "");
  const isOwnAddress = baseUrl === provider.baseUrl;
  // A key goes to its provider alone, unless it is named for a server.
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
  const headers = valuesOf(remote.headers, sources.secret);
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
  return rested(embedder, `${space} with ${key ?? "no key"}`, sources);
}

function valuesOf(
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

function rested(embedder: Embedder, name: string, { rests, now }: EmbedderSources): Found {
  return { embedder: withRests(embedder, name, rests, now) };
}
