import { z } from "zod";
import { fromBase64 } from "../lib/base64.ts";
import { sniffImageType } from "../workspace/media-type.ts";
import { getMedia, jsonOf, type MediaEndpoint, postMedia } from "./ask-media.ts";
import { type ImageGenerator, MediaError, type Picture } from "./media-model.ts";
import type { OpenAiMedia } from "./openai-audio.ts";
import { usageOf } from "./price.ts";

const image = z.object({ b64_json: z.string().nullish(), url: z.string().nullish() });

const generation = z.object({
  data: z.array(image).min(1),
  usage: z
    .object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() })
    .nullish()
    .catch(undefined),
});

/**
 * `POST /images/generations` of OpenAI and compatible servers. Some answer with the pictures, some with addresses of
 * them, which are valid for a while. More pictures than were asked for are left.
 */
export function openAiImages({ endpoint, model, price }: OpenAiMedia): ImageGenerator {
  const { ref } = endpoint;
  return {
    ref,
    price,
    async generate({ prompt, size, count }, signal) {
      const request = { model, prompt, n: count, ...(size !== undefined && { size }) };
      const answer = await postMedia(endpoint, "/images/generations", request, signal);
      const read = generation.safeParse(jsonOf(answer, ref));
      if (!read.success) throw new MediaError(`${ref} gave an answer without a picture.`);
      const pictures: Picture[] = [];
      for (const found of read.data.data.slice(0, count))
        pictures.push(pictureOf(await bytesOf(found, endpoint, signal), ref));
      const { input_tokens: input, output_tokens: output } = read.data.usage ?? {};
      return { pictures, usage: usageOf({ input, output, images: pictures.length }, price) };
    },
  };
}

async function bytesOf(
  { b64_json: base64, url }: z.output<typeof image>,
  endpoint: MediaEndpoint,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (base64 != null) return fromBase64(base64);
  return url == null ? undefined : (await getMedia(url, endpoint, signal)).body;
}

/** A picture with its media type. @throws MediaError for bytes that are none */
export function pictureOf(bytes: Uint8Array<ArrayBuffer> | undefined, ref: string): Picture {
  const mediaType = bytes && sniffImageType(bytes);
  if (bytes === undefined || mediaType === undefined)
    throw new MediaError(`${ref} gave an answer that is no PNG, JPEG, GIF or WebP image.`);
  return { bytes, mediaType };
}
