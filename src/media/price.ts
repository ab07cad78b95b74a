import { NO_USAGE, type Usage } from "../models/message.ts";
import { costOf, type Price } from "../models/price.ts";

/** What a model of media costs, in micros (millionths of a US dollar). */
export interface MediaPrice {
  /** Of tokens, where the provider counts them. */
  tokens?: Price | undefined;
  /** Of a minute of a recording. */
  minute?: number | undefined;
  /** Of a character that is read aloud. */
  character?: number | undefined;
  /** Of a picture. */
  image?: number | undefined;
}

/** What a call has used, as far as it is known. */
export interface MediaUse {
  input?: number | undefined;
  output?: number | undefined;
  seconds?: number | undefined;
  characters?: number | undefined;
  images?: number | undefined;
}

/** The prices of the configuration, in US dollars. */
export interface ConfiguredCost extends Price {
  minute?: number | undefined;
  millionChars?: number | undefined;
  image?: number | undefined;
}

const perMillion = (input: number, output: number): MediaPrice => ({ tokens: { input, output } });

/**
 * List prices of well-known models by `provider/model`, narrow before wide, as of November 2026:
 * developers.cloudflare.com/workers-ai/platform/pricing, platform.openai.com/docs/pricing, groq.com/pricing.
 */
const LIST: readonly (readonly [RegExp, MediaPrice])[] = [
  [/^workers-ai\/@cf\/openai\/whisper-large-v3-turbo$/, { minute: 510 }],
  [/^workers-ai\/@cf\/openai\/whisper$/, { minute: 450 }],
  [/^workers-ai\/@cf\/deepgram\/aura-1$/, { character: 15 }],
  // Four tiles of 512 by 512, and four steps.
  [/^workers-ai\/@cf\/black-forest-labs\/flux-1-schnell$/, { image: 634 }],
  [/^openai\/(?:whisper-1|gpt-4o-transcribe)/, { minute: 6000 }],
  [/^openai\/gpt-4o-mini-transcribe/, { minute: 3000 }],
  [/^openai\/tts-1-hd/, { character: 30 }],
  [/^openai\/tts-1/, { character: 15 }],
  // $0.015 a minute, in which about 900 characters are read.
  [/^openai\/gpt-4o-mini-tts/, { character: 17 }],
  [/^openai\/gpt-image-1-mini/, perMillion(2, 8)],
  [/^openai\/gpt-image-1(?!\.)/, perMillion(5, 40)],
  [/^groq\/whisper-large-v3-turbo/, { minute: 667 }],
  [/^groq\/whisper-large-v3/, { minute: 1850 }],
];

/** The price of a model: the configured one, else its list price; undefined if neither is known. */
export function mediaPrice(ref: string, cost: ConfiguredCost | undefined): MediaPrice | undefined {
  if (cost === undefined) return LIST.find(([pattern]) => pattern.test(ref))?.[1];
  const { minute, millionChars: character, image } = cost;
  const micros = (dollars: number | undefined) => dollars && dollars * 1_000_000;
  return { tokens: cost, minute: micros(minute), character, image: micros(image) };
}

/** What was used, with its cost if the price is known. */
export function usageOf(use: MediaUse, price: MediaPrice | undefined): Usage {
  const tokens = { ...NO_USAGE, input: use.input ?? 0, output: use.output ?? 0 };
  const costMicros = price && microsOf(use, tokens, price);
  return { ...tokens, ...(costMicros !== undefined && { costMicros }) };
}

function microsOf(
  use: MediaUse,
  tokens: Usage,
  { minute, character, image, ...price }: MediaPrice,
): number | undefined {
  if (minute !== undefined && use.seconds !== undefined) return Math.ceil((use.seconds / 60) * minute);
  if (character !== undefined && use.characters !== undefined) return Math.ceil(use.characters * character);
  if (image !== undefined && use.images !== undefined) return Math.ceil(use.images * image);
  return price.tokens !== undefined && tokens.input + tokens.output > 0 ? costOf(tokens, price.tokens) : undefined;
}

/** Bytes of a second of speech as chats record it: fewer than in most formats, so that a length is rather too long. */
const BYTES_PER_SECOND = 2000;
/** Tokens of a large picture, and of a second of a recording. */
const TOKENS = { image: 4200, second: 10, characters: 0.5 };

/** The length of a recording, estimated where it is not known. */
export function secondsOf({ seconds, bytes }: { seconds?: number; bytes: Uint8Array }): number {
  return seconds ?? Math.ceil(bytes.length / BYTES_PER_SECOND);
}

/** The use that is expected before a call, rather too large. */
export function expectedUse(use: Omit<MediaUse, "input" | "output">): MediaUse {
  const { seconds = 0, characters = 0, images = 0 } = use;
  const input = Math.ceil(seconds * TOKENS.second + characters * TOKENS.characters);
  return { ...use, input, output: images * TOKENS.image + input };
}
