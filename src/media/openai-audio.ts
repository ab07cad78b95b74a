import { z } from "zod";
import { sniffAudioType } from "../workspace/media-type.ts";
import { jsonOf, type MediaEndpoint, postMedia } from "./ask-media.ts";
import { MediaError, type Recording, type Speaker, type Transcriber } from "./media-model.ts";
import { type MediaPrice, secondsOf, usageOf } from "./price.ts";

/** A model at OpenAI's paths, and its price. */
export interface OpenAiMedia {
  endpoint: MediaEndpoint;
  /** Its name at the provider. */
  model: string;
  price: MediaPrice | undefined;
}

/** `usage` counts tokens or seconds, `duration` is of older answers; compatible servers may give neither. */
const transcription = z.object({
  text: z.string(),
  duration: z.number().optional().catch(undefined),
  usage: z
    .object({
      seconds: z.number().optional(),
      input_tokens: z.number().optional(),
      output_tokens: z.number().optional(),
    })
    .optional()
    .catch(undefined),
});

/** `POST /audio/transcriptions` of OpenAI and compatible servers. */
export function openAiTranscriber(
  { endpoint, model, price }: OpenAiMedia,
  { language, prompt }: { language?: string | undefined; prompt?: string | undefined },
): Transcriber {
  const { ref } = endpoint;
  return {
    ref,
    price,
    async transcribe(recording, signal) {
      const form = new FormData();
      form.set("file", fileOf(recording));
      form.set("model", model);
      form.set("response_format", "json");
      if (language !== undefined) form.set("language", language);
      if (prompt !== undefined) form.set("prompt", prompt);
      const answer = await postMedia(endpoint, "/audio/transcriptions", form, signal);
      const read = transcription.safeParse(jsonOf(answer, ref));
      if (!read.success) throw new MediaError(`${ref} gave an answer without a text.`);
      const { text, duration, usage } = read.data;
      const seconds = duration ?? usage?.seconds;
      const used = { input: usage?.input_tokens, output: usage?.output_tokens };
      return {
        text: text.trim(),
        ...(seconds !== undefined && { seconds }),
        usage: usageOf({ ...used, seconds: seconds ?? secondsOf(recording) }, price),
      };
    },
  };
}

function fileOf({ bytes, name, mediaType }: Recording): File {
  return new File([bytes], name, { type: mediaType });
}

/** `POST /audio/speech` of OpenAI and compatible servers. */
export function openAiSpeaker(
  { endpoint, model, price }: OpenAiMedia,
  { voice: usual, responseFormat }: { voice: string; responseFormat: string },
): Speaker {
  const { ref } = endpoint;
  return {
    ref,
    price,
    async speak({ text, voice = usual }, signal) {
      const request = { model, input: text, voice, response_format: responseFormat };
      const { body } = await postMedia(endpoint, "/audio/speech", request, signal);
      const mediaType = sniffAudioType(body);
      if (mediaType === undefined) throw new MediaError(`${ref} gave an answer that is no audio.`);
      return { bytes: body, mediaType, usage: usageOf({ characters: text.length }, price) };
    },
  };
}
