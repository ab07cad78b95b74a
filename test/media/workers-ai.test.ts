import { expect, test } from "vitest";
import { MediaError } from "../../src/media/media-model.ts";
import { mediaPrice } from "../../src/media/price.ts";
import {
  type MediaBinding,
  workersAiImages,
  workersAiSpeaker,
  workersAiTranscriber,
} from "../../src/media/workers-ai.ts";
import { MP3, OGG, PNG } from "../fakes/media-bytes.ts";

const signal = new AbortController().signal;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
}

/** A stand-in for the binding, which Cloudflare alone has: it answers this and keeps what it was asked. */
function media(model: string, answer: () => unknown, timeoutMs = 5000) {
  const calls: unknown[][] = [];
  const ai: MediaBinding = {
    async run(name, inputs, { signal: _, ...options }) {
      calls.push([name, inputs, options]);
      return answer();
    },
  };
  const ref = `workers-ai/${model}`;
  return { media: { ai, ref, model, timeoutMs, price: mediaPrice(ref, undefined) }, calls };
}

test("Whisper gets a recording as base64, and an older one as numbers", async () => {
  const recording = { name: "a.ogg", mediaType: "audio/ogg", bytes: bytesOf(OGG) };
  const turbo = media("@cf/openai/whisper-large-v3-turbo", () => ({
    text: " Hello. ",
    transcription_info: { duration: 60 },
  }));
  expect(
    await workersAiTranscriber(turbo.media, { language: "en", prompt: "Ada" }).transcribe(recording, signal),
  ).toEqual({
    text: "Hello.",
    seconds: 60,
    usage: expect.objectContaining({ costMicros: 510 }),
  });
  expect(turbo.calls).toEqual([
    ["@cf/openai/whisper-large-v3-turbo", { audio: OGG, language: "en", initial_prompt: "Ada" }, {}],
  ]);
  const old = media("@cf/openai/whisper", () => ({ text: "Hi" }));
  await workersAiTranscriber(old.media, {}).transcribe(recording, signal);
  expect(old.calls).toEqual([["@cf/openai/whisper", { audio: [...bytesOf(OGG)] }, {}]]);
});

test("Aura answers with audio, and MeloTTS with base64", async () => {
  const aura = media("@cf/deepgram/aura-1", () => new Response(bytesOf(OGG)));
  const speech = await workersAiSpeaker(aura.media, { voice: "luna", responseFormat: "opus" }).speak(
    { text: "Hi" },
    signal,
  );
  expect(speech).toMatchObject({ bytes: bytesOf(OGG), mediaType: "audio/ogg", usage: { costMicros: 30 } });
  expect(aura.calls).toEqual([
    [
      "@cf/deepgram/aura-1",
      { text: "Hi", speaker: "luna", encoding: "opus", container: "ogg" },
      { returnRawResponse: true },
    ],
  ]);
  const melo = media("@cf/myshell-ai/melotts", () => ({ audio: MP3 }));
  const other = await workersAiSpeaker(melo.media, { language: "zh", responseFormat: "opus" }).speak(
    { text: "你好" },
    signal,
  );
  expect(other).toMatchObject({ bytes: bytesOf(MP3), mediaType: "audio/mpeg" });
  expect(melo.calls).toEqual([["@cf/myshell-ai/melotts", { prompt: "你好", lang: "zh" }, {}]]);
});

test("a picture comes as base64 or as a stream, one for each call", async () => {
  const flux = media("@cf/black-forest-labs/flux-1-schnell", () => ({ image: PNG }));
  const two = await workersAiImages(flux.media).generate({ prompt: "A fox", size: "512x512", count: 2 }, signal);
  expect(two.pictures).toHaveLength(2);
  expect(two.usage.costMicros).toBe(1268);
  expect(flux.calls[1]).toEqual(["@cf/black-forest-labs/flux-1-schnell", { prompt: "A fox" }, {}]);
  const lucid = media("@cf/leonardo/lucid-origin", () => new Response(bytesOf(PNG)).body);
  const one = await workersAiImages(lucid.media).generate({ prompt: "A fox", size: "512x768", count: 1 }, signal);
  expect(one.pictures).toEqual([{ bytes: bytesOf(PNG), mediaType: "image/png" }]);
  expect(lucid.calls[0]?.[1]).toEqual({ prompt: "A fox", width: 512, height: 768 });
});

test("what the binding throws, or does not answer, is told in words", async () => {
  const broken = media("@cf/x/y", () => Promise.reject(new Error("3040: Capacity temporarily exceeded")));
  const silent = media("@cf/x/y", () => new Promise(() => undefined), 20);
  const failure = (one: typeof broken) => workersAiImages(one.media).generate({ prompt: "A fox", count: 1 }, signal);
  await expect(failure(broken)).rejects.toThrow(
    new MediaError("workers-ai/@cf/x/y failed: 3040: Capacity temporarily exceeded"),
  );
  await expect(failure(silent)).rejects.toThrow(
    new MediaError("workers-ai/@cf/x/y gave no whole answer within 20 ms."),
  );
});
