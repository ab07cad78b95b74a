import type { CoreConfig } from "../config/schema.ts";
import { IsopodError } from "../lib/errors.ts";
import { providerIn } from "../models/profiles.ts";
import { type ProviderSources, providerAccess } from "../models/provider-access.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import type { ImageGenerator, Speaker, Transcriber } from "./media-model.ts";
import { type OpenAiMedia, openAiSpeaker, openAiTranscriber } from "./openai-audio.ts";
import { openAiImages } from "./openai-images.ts";
import { mediaPrice } from "./price.ts";
import {
  type MediaBinding,
  type WorkersAiMedia,
  workersAiImages,
  workersAiSpeaker,
  workersAiTranscriber,
} from "./workers-ai.ts";

/** Where models of media are looked up. */
export interface MediaSources extends ProviderSources {
  /** The Workers AI binding; undefined where it is not bound, or does not answer. */
  ai: MediaBinding | undefined;
  /** The guarded way to the providers. */
  egress: SafeFetch;
}

/** The models that may be asked, in order, and what others lack, in sentences. */
export interface Choice<Model> {
  models: readonly Model[];
  lacks: readonly string[];
}

/** Who transcribes, reads aloud, and makes pictures. */
export interface MediaModels {
  transcribers: Choice<Transcriber>;
  speakers: Choice<Speaker>;
  imageGenerators: Choice<ImageGenerator>;
}

/** Opens the models of media that the configuration names, or that are available. Asks nobody. */
export function openMedia({ tools, messages, agents }: CoreConfig, sources: MediaSources): MediaModels {
  return {
    transcribers: chooseTranscribers(tools.media.audio, sources),
    speakers: chooseSpeakers(messages.tts, sources),
    imageGenerators: chooseImageGenerators(agents.defaults.imageGenerationModel, sources),
  };
}

const WORKERS_AI = "workers-ai";

/** The usual models of providers. */
const USUAL = {
  transcriber: new Map([
    [WORKERS_AI, "@cf/openai/whisper-large-v3-turbo"],
    ["openai", "gpt-4o-mini-transcribe"],
    ["groq", "whisper-large-v3-turbo"],
    ["mistral", "voxtral-mini-latest"],
  ]),
  speaker: new Map([
    [WORKERS_AI, "@cf/deepgram/aura-1"],
    ["openai", "gpt-4o-mini-tts"],
  ]),
};

/** The voice of OpenAI's models where none is configured. */
const USUAL_VOICE = "alloy";

type AudioSettings = CoreConfig["tools"]["media"]["audio"];
type SpeechSettings = CoreConfig["messages"]["tts"];
type ImageSettings = CoreConfig["agents"]["defaults"]["imageGenerationModel"];

/** Who transcribes: the configured models, else one that the deployment's owner has made available. */
function chooseTranscribers(settings: AudioSettings, sources: MediaSources): Choice<Transcriber> {
  const { enabled, models, timeoutSeconds } = settings;
  if (!enabled) return { models: [], lacks: [] };
  const wanted = models.length > 0 ? models : available(["openai", "groq"], sources).map((provider) => ({ provider }));
  return openAll(wanted, "tools.media.audio.models", (entry: AudioSettings["models"][number]) =>
    openModel(refOf(entry, USUAL.transcriber), timeoutSeconds * 1000, sources, {
      workersAi: (media) => workersAiTranscriber(media, settings),
      openAi: (media) => openAiTranscriber(media, settings),
    }),
  );
}

/** Who reads aloud: the configured provider; where replies are read aloud by themselves, else one that is available. */
function chooseSpeakers({ auto, provider, ...settings }: SpeechSettings, sources: MediaSources): Choice<Speaker> {
  const wanted = provider !== undefined ? [provider] : auto === "off" ? [] : available(["openai"], sources);
  return openAll(wanted, "messages.tts.provider", (name) => {
    const {
      model,
      voice,
      language,
      responseFormat = "opus",
    } = new Map(Object.entries(settings.providers)).get(name) ?? {};
    return openModel(refOf({ provider: name, model }, USUAL.speaker), settings.timeoutMs, sources, {
      workersAi: (media) => workersAiSpeaker(media, { voice, language, responseFormat }),
      openAi: (media) => openAiSpeaker(media, { voice: voice ?? USUAL_VOICE, responseFormat }),
    });
  });
}

/** Longest time of a request for pictures where none is configured, in milliseconds. */
const IMAGE_MS = 180_000;

/** Who makes pictures; nobody where nothing is configured, because pictures are dear. */
function chooseImageGenerators(settings: ImageSettings, sources: MediaSources): Choice<ImageGenerator> {
  if (settings === undefined) return { models: [], lacks: [] };
  const { primary, fallbacks, timeoutMs } =
    typeof settings === "string" ? { primary: settings, fallbacks: [], timeoutMs: IMAGE_MS } : settings;
  return openAll([primary, ...fallbacks], "agents.defaults.imageGenerationModel", (ref) =>
    openModel(ref, timeoutMs, sources, { workersAi: workersAiImages, openAi: openAiImages }),
  );
}

/** The first provider that may be used without being named: Workers AI is in the account that has the files anyway. */
function available(others: readonly string[], { ai, secret, providers, auth }: MediaSources): string[] {
  if (ai !== undefined) return [WORKERS_AI];
  // The key may be that of the server at this address.
  const isElsewhere = secret("OPENAI_BASE_URL") !== undefined;
  const hasKey = (name: string) =>
    !(name === "openai" && isElsewhere) &&
    !Object.hasOwn(providers, name) &&
    (secret(`${name.toUpperCase()}_API_KEY`) !== undefined ||
      Object.values(auth.profiles).some((profile) => profile.provider === name && secret(profile.apiKey.id)));
  return others.filter(hasKey).slice(0, 1);
}

function openAll<Entry, Model>(entries: readonly Entry[], field: string, open: (entry: Entry) => Model): Choice<Model> {
  const models: Model[] = [];
  const lacks: string[] = [];
  for (const entry of entries) {
    try {
      models.push(open(entry));
    } catch (error) {
      if (!(error instanceof IsopodError)) throw error;
      lacks.push(`${error.message} (${field}). ${error.hint ?? ""}`.trim());
    }
  }
  return { models, lacks };
}

/** @throws IsopodError `not_configured` */
function refOf(
  { provider, model }: { provider: string; model?: string | undefined },
  usual: ReadonlyMap<string, string>,
): string {
  const name = model ?? usual.get(provider);
  if (name !== undefined) return `${provider}/${name}`;
  throw new IsopodError("not_configured", `'${provider}' has no usual model`, "Name the model.");
}

interface Makers<Model> {
  workersAi(media: WorkersAiMedia): Model;
  openAi(media: OpenAiMedia): Model;
}

/** @throws IsopodError `not_configured` with what to set */
function openModel<Model>(
  ref: string,
  timeoutMs: number,
  { ai, egress, ...sources }: MediaSources,
  { workersAi, openAi }: Makers<Model>,
): Model {
  const provider = providerIn(ref);
  const model = ref.slice(provider.length + 1);
  if (provider === "" || model === "") {
    throw new IsopodError("not_configured", `'${ref}' names no model`, "Write it as `provider/model`.");
  }
  if (provider === WORKERS_AI) {
    if (ai !== undefined) return workersAi({ ai, ref, model, timeoutMs, price: mediaPrice(ref, undefined) });
    const hint = "Deploy with the binding AI of wrangler.toml, or name another provider.";
    throw new IsopodError("not_configured", "Workers AI is not bound, or does not answer on this machine", hint);
  }
  const access = providerAccess(provider, undefined, sources);
  if (access.api === "anthropic-messages") {
    const hint = "Name a provider with OpenAI's API, or workers-ai.";
    throw new IsopodError("not_configured", `'${provider}' makes and reads no media`, hint);
  }
  const cost = access.models.find(({ id }) => id === model)?.cost;
  const { baseUrl, apiKey, keyName, isKeySent, headers } = access;
  const endpoint = { ref, baseUrl, apiKey, keyName, isKeySent, headers, egress, timeoutMs };
  return openAi({ endpoint, model, price: mediaPrice(ref, cost) });
}
