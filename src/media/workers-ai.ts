import { z } from "zod";
import { fromBase64, toBase64 } from "../lib/base64.ts";
import { deadline } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { readCapped } from "../lib/read-capped.ts";
import { head } from "../lib/text.ts";
import { sniffAudioType } from "../workspace/media-type.ts";
import { type ImageGenerator, MediaError, type Picture, type Speaker, type Transcriber } from "./media-model.ts";
import { pictureOf } from "./openai-images.ts";
import { type MediaPrice, secondsOf, usageOf } from "./price.ts";

/** The part of the Workers AI binding (`Ai`) that is used. */
export interface MediaBinding {
  run(
    model: string,
    inputs: Record<string, unknown>,
    options: { signal: AbortSignal; returnRawResponse?: boolean },
  ): Promise<unknown>;
}

/** A model of Workers AI in the Worker's own account, and its price. */
export interface WorkersAiMedia {
  ai: MediaBinding;
  /** `workers-ai/@cf/…`. */
  ref: string;
  /** `@cf/…`. */
  model: string;
  price: MediaPrice | undefined;
  timeoutMs: number;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_MESSAGE_CHARS = 600;
/** As a list of numbers a recording takes up many times its size in memory. */
const MAX_LISTED_BYTES = 2 * 1024 * 1024;

const transcription = z.object({
  text: z.string(),
  transcription_info: z.object({ duration: z.number().optional() }).optional().catch(undefined),
});

/** Whisper: the older model takes a list of bytes, the newer base64. */
export function workersAiTranscriber(
  media: WorkersAiMedia,
  { language, prompt }: { language?: string | undefined; prompt?: string | undefined },
): Transcriber {
  const { ref, price, model } = media;
  return {
    ref,
    price,
    async transcribe(recording, signal) {
      const { bytes } = recording;
      const isOld = model.endsWith("/whisper");
      if (isOld && bytes.length > MAX_LISTED_BYTES)
        throw new MediaError(`${ref} takes at most ${MAX_LISTED_BYTES} bytes.`);
      const inputs = isOld
        ? { audio: [...bytes] }
        : {
            audio: toBase64(bytes),
            ...(language !== undefined && { language }),
            ...(prompt !== undefined && { initial_prompt: prompt }),
          };
      const read = transcription.safeParse(await run(media, inputs, signal));
      if (!read.success) throw new MediaError(`${ref} gave an answer without a text.`);
      const { text, transcription_info: info } = read.data;
      return {
        text: text.trim(),
        ...(info?.duration !== undefined && { seconds: info.duration }),
        usage: usageOf({ seconds: info?.duration ?? secondsOf(recording) }, price),
      };
    },
  };
}

/** Deepgram's Aura answers with the audio itself, MeloTTS with base64 in JSON. */
export function workersAiSpeaker(
  media: WorkersAiMedia,
  {
    voice: usual,
    language,
    responseFormat,
  }: { voice?: string | undefined; language?: string | undefined; responseFormat: string },
): Speaker {
  const { ref, price, model } = media;
  const isAura = model.includes("/aura");
  return {
    ref,
    price,
    async speak({ text, voice = usual }, signal) {
      const inputs = isAura
        ? { text, ...(voice !== undefined && { speaker: voice }), ...auraEncoding(responseFormat) }
        : { prompt: text, ...(language !== undefined && { lang: language }) };
      const bytes = await bytesOf(await run(media, inputs, signal, isAura), "audio");
      const mediaType = bytes && sniffAudioType(bytes);
      if (bytes === undefined || mediaType === undefined)
        throw new MediaError(`${ref} gave an answer that is no audio.`);
      return { bytes, mediaType, usage: usageOf({ characters: text.length }, price) };
    },
  };
}

/** Without a format Aura answers in MP3. */
function auraEncoding(format: string): Record<string, string> {
  if (format === "opus") return { encoding: "opus", container: "ogg" };
  if (format === "wav") return { encoding: "linear16", container: "wav" };
  return { encoding: format };
}

/** Makes one picture a call. FLUX.1 schnell takes no size. */
export function workersAiImages(media: WorkersAiMedia): ImageGenerator {
  const { ref, price, model } = media;
  return {
    ref,
    price,
    async generate({ prompt, size, count }, signal) {
      const [width, height] = size?.split("x").map(Number) ?? [];
      const inputs = { prompt, ...(size !== undefined && !model.endsWith("/flux-1-schnell") && { width, height }) };
      const pictures: Picture[] = [];
      while (pictures.length < count) {
        pictures.push(pictureOf(await bytesOf(await run(media, inputs, signal), "image"), ref));
      }
      return { pictures, usage: usageOf({ images: pictures.length }, price) };
    },
  };
}

/** @throws MediaError, also if the binding ignores the signal; or the signal's abort reason */
async function run(
  { ai, ref, model, timeoutMs }: WorkersAiMedia,
  inputs: Record<string, unknown>,
  signal: AbortSignal,
  returnRawResponse = false,
): Promise<unknown> {
  signal.throwIfAborted();
  const clock = deadline(timeoutMs);
  const both = AbortSignal.any([signal, clock.signal]);
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(both.reason);
  both.addEventListener("abort", onAbort, { once: true });
  try {
    const answer = ai.run(model, inputs, { signal: both, ...(returnRawResponse && { returnRawResponse }) });
    return await Promise.race([aborted.promise, answer]);
  } catch (error) {
    signal.throwIfAborted();
    if (clock.signal.aborted) throw new MediaError(`${ref} gave no whole answer within ${timeoutMs} ms.`);
    throw new MediaError(`${ref} failed: ${head(messageOf(error), MAX_MESSAGE_CHARS)}`, { cause: error });
  } finally {
    both.removeEventListener("abort", onAbort);
    clock.done();
  }
}

/** The bytes of an answer: a response, a stream, bytes, or base64 in a field. */
async function bytesOf(answer: unknown, field: "audio" | "image"): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (answer instanceof Response) return readCapped(answer.body, MAX_ANSWER_BYTES);
  if (answer instanceof ReadableStream) return readCapped(answer, MAX_ANSWER_BYTES);
  if (answer instanceof Uint8Array) return Uint8Array.from(answer);
  if (typeof answer !== "object" || answer === null || !(field in answer)) return undefined;
  const text = Reflect.get(answer, field);
  return typeof text === "string" ? fromBase64(text) : undefined;
}
