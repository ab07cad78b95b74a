import { describe, expect, test } from "vitest";
import type { MediaEndpoint } from "../../src/media/ask-media.ts";
import { MediaError } from "../../src/media/media-model.ts";
import { openAiSpeaker, openAiTranscriber } from "../../src/media/openai-audio.ts";
import { openAiImages } from "../../src/media/openai-images.ts";
import { mediaPrice } from "../../src/media/price.ts";
import { createSafeFetch } from "../../src/security/safe-fetch.ts";
import { MP3, OGG, PNG } from "../fakes/media-bytes.ts";
import type { MediaAnswer } from "../fakes/media-server.ts";
import { askedMedia, mediaUrl, scriptMedia } from "./media-lab.ts";

const signal = new AbortController().signal;
const recording = { name: "voice.ogg", mediaType: "audio/ogg", bytes: bytesOf(OGG), seconds: 60 };

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
}

/** A model of the fake provider, which gives these answers, and may be reached by the guarded way. */
async function media(model: string, answers: MediaAnswer[], more: Partial<MediaEndpoint> = {}, cost?: object) {
  await scriptMedia(model, answers);
  const egress = createSafeFetch({ fetch, allowPrivate: [new URL(mediaUrl).host] });
  const ref = `media/${model}`;
  const access = { baseUrl: `${mediaUrl}/`, apiKey: "sk-1", keyName: "MEDIA_KEY", isKeySent: true, headers: {} };
  const endpoint: MediaEndpoint = { ref, ...access, egress, timeoutMs: 5000, ...more };
  return { endpoint, model, price: mediaPrice(ref, cost as never) };
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MediaError);
  return (error as MediaError).message;
}

describe("a transcription", () => {
  test("is asked for with the file, the language and the key, and costs what a minute costs", async () => {
    const found = await media(
      "t-usual",
      [{ text: " Hello. ", seconds: 30 }],
      {},
      { input: 0, output: 0, minute: 0.006 },
    );
    const { transcribe } = openAiTranscriber(found, { language: "en", prompt: "Isopod" });
    expect(await transcribe(recording, signal)).toEqual({
      text: "Hello.",
      seconds: 30,
      usage: expect.objectContaining({ input: 0, costMicros: 3000 }),
    });
    const [request] = await askedMedia("t-usual");
    expect(request?.headers.authorization).toBe("Bearer sk-1");
    expect(request?.fields).toEqual({
      file: { name: "voice.ogg", type: "audio/ogg", base64: OGG },
      model: "t-usual",
      response_format: "json",
      language: "en",
      prompt: "Isopod",
    });
  });

  test("counts tokens where the provider does", async () => {
    const found = await media("t-tokens", [{ tokens: { input: 100, output: 20 } }], {}, { input: 3, output: 5 });
    const { usage } = await openAiTranscriber(found, {}).transcribe(recording, signal);
    expect(usage).toMatchObject({ input: 100, output: 20, costMicros: 400 });
  });
});

test("speech is known by its bytes, whatever the provider calls it", async () => {
  const settings = { voice: "alloy", responseFormat: "opus" };
  const speak = async (model: string, base64: string) =>
    openAiSpeaker(await media(model, [{ base64 }], {}, { input: 0, output: 0, millionChars: 15 }), settings).speak(
      { text: "Hello" },
      signal,
    );
  expect(await speak("s-ogg", OGG)).toEqual({
    bytes: bytesOf(OGG),
    mediaType: "audio/ogg",
    usage: expect.objectContaining({ costMicros: 75 }),
  });
  expect((await speak("s-mp3", MP3)).mediaType).toBe("audio/mpeg");
});

describe("pictures", () => {
  test("come as base64 or by an address", async () => {
    for (const byAddress of [false, true]) {
      const found = await media(
        "p-both",
        [{ byAddress, tokens: { input: 10, output: 1000 } }],
        {},
        { input: 5, output: 40 },
      );
      const { pictures, usage } = await openAiImages(found).generate(
        { prompt: "A fox", size: "1024x1024", count: 2 },
        signal,
      );
      expect(pictures).toEqual([
        { bytes: bytesOf(PNG), mediaType: "image/png" },
        { bytes: bytesOf(PNG), mediaType: "image/png" },
      ]);
      expect(usage).toMatchObject({ input: 10, output: 1000, costMicros: 40_050 });
    }
  });

  test("more than were asked for are left", async () => {
    const found = await media("p-more", [{ status: 200, body: { data: [{ b64_json: PNG }, { b64_json: "?" }] } }]);
    const { pictures } = await openAiImages(found).generate({ prompt: "A fox", count: 1 }, signal);
    expect(pictures).toHaveLength(1);
  });

  test("that lead into a private network are not fetched", async () => {
    const inside = { created: 1, data: [{ url: "http://169.254.169.254/latest" }] };
    const found = await media("p-inside", [{ status: 200, body: inside }]);
    const failure = await failureOf(openAiImages(found).generate({ prompt: "A fox", count: 1 }, signal));
    expect(failure).toContain("is not on the public internet");
  });
});

describe("a failure is told in words", () => {
  const stories: [name: string, MediaAnswer, Partial<MediaEndpoint>, RegExp][] = [
    [
      "f-401",
      { status: 401, body: { error: { message: "Incorrect API key." } } },
      {},
      /^media refuses the key in MEDIA_KEY: Incorrect API key\.$/,
    ],
    ["f-402", { status: 402, body: {} }, {}, /has no credit left for the key in MEDIA_KEY/],
    ["f-404", { status: 404, body: {} }, {}, /^media does not have media\/f-404/],
    [
      "f-refusal",
      {
        status: 400,
        body: { error: { code: "moderation_blocked", message: "Your request was rejected by the safety system." } },
      },
      {},
      /does not take the request: Your request was rejected by the safety system\./,
    ],
    ["f-500", { status: 500, body: "<html>" }, {}, /^media gave no whole answer/],
    ["f-redirect", { status: 307, body: {} }, {}, /^media/],
    ["f-nothing", { status: 200, body: {} }, {}, /gave an answer without a picture/],
    ["f-text", { status: 200, body: "no JSON" }, {}, /gave an answer without a picture|is not JSON/],
    ["f-noise", { base64: btoa("noise") }, {}, /is no PNG, JPEG, GIF or WebP image/],
    ["f-slow", { hang: true }, { timeoutMs: 50 }, /no whole answer within 50 ms/],
    ["f-away", {}, { baseUrl: "http://127.0.0.1:9/v1" }, /Port 9 is never asked for/],
  ];
  test.each(stories)("%s", async (name, answer, more, expected) => {
    const found = await media(name, [answer], more);
    expect(await failureOf(openAiImages(found).generate({ prompt: "A fox", count: 1 }, signal))).toMatch(expected);
  });

  test("a stopped call ends with the reason of the stop", async () => {
    const found = await media("f-stopped", [{ hang: true }]);
    const stop = new AbortController();
    const work = openAiImages(found).generate({ prompt: "A fox", count: 1 }, stop.signal);
    stop.abort("aborted");
    await expect(work).rejects.toBe("aborted");
  });
});
