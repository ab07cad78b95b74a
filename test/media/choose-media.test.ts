import { expect, test } from "vitest";
import { openMedia } from "../../src/media/choose-media.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";

type Given = { secrets?: string[]; ai?: boolean };

function chosen(document: object, { secrets = [], ai = false }: Given = {}) {
  const config = wholeSchema.parse(document);
  const media = openMedia(config, {
    providers: config.models.providers,
    auth: config.auth,
    secret: (name) => (secrets.includes(name) ? "https://secret.example" : undefined),
    ai: ai ? { run: () => Promise.reject(new Error("not asked")) } : undefined,
    egress: () => Promise.reject(new Error("not asked")),
  });
  const refs = (choice: { models: readonly { ref: string }[] }) => choice.models.map(({ ref }) => ref);
  return {
    transcribers: refs(media.transcribers),
    speakers: refs(media.speakers),
    imageGenerators: refs(media.imageGenerators),
    lacks: [media.transcribers, media.speakers, media.imageGenerators].flatMap(({ lacks }) => lacks),
  };
}

const OPENAI = "OPENAI_API_KEY";
const NOBODY = { transcribers: [], speakers: [], imageGenerators: [], lacks: [] };

test("without a key or Workers AI there is nobody", () => {
  expect(chosen({})).toEqual(NOBODY);
});

test("recordings are transcribed by what the owner has made available, Workers AI first", () => {
  expect(chosen({}, { ai: true, secrets: [OPENAI] }).transcribers).toEqual([
    "workers-ai/@cf/openai/whisper-large-v3-turbo",
  ]);
  expect(chosen({}, { secrets: [OPENAI, "GROQ_API_KEY"] }).transcribers).toEqual(["openai/gpt-4o-mini-transcribe"]);
  expect(chosen({}, { secrets: ["GROQ_API_KEY"] }).transcribers).toEqual(["groq/whisper-large-v3-turbo"]);
});

test("a key that may be another server's is not taken for OpenAI's", () => {
  expect(chosen({}, { secrets: [OPENAI, "OPENAI_BASE_URL"] }).transcribers).toEqual([]);
});

test("nobody transcribes where that is switched off", () => {
  const tools = { media: { audio: { enabled: false, models: [{ provider: "openai" }] } } };
  expect(chosen({ tools }, { secrets: [OPENAI] })).toEqual(NOBODY);
});

test("the configured models are asked in order, and what one lacks is told", () => {
  const tools = { media: { audio: { models: [{ provider: "groq" }, { provider: "openai", model: "whisper-1" }] } } };
  expect(chosen({ tools }, { secrets: [OPENAI] })).toMatchObject({
    transcribers: ["openai/whisper-1"],
    lacks: [expect.stringMatching(/'groq' has no key \(tools\.media\.audio\.models\)\. Set GROQ_API_KEY/)],
  });
});

test("pictures and speech are made only where they are configured", () => {
  const ready = { ai: true, secrets: [OPENAI] };
  expect(chosen({}, ready)).toMatchObject({ speakers: [], imageGenerators: [] });
  expect(chosen({ messages: { tts: { auto: "always" } } }, ready).speakers).toEqual(["workers-ai/@cf/deepgram/aura-1"]);
  expect(chosen({ messages: { tts: { provider: "openai" } } }, ready).speakers).toEqual(["openai/gpt-4o-mini-tts"]);
  const imageGenerationModel = { primary: "openai/gpt-image-1", fallbacks: ["workers-ai/@cf/x/y"] };
  expect(chosen({ agents: { defaults: { imageGenerationModel } } }, ready).imageGenerators).toEqual([
    "openai/gpt-image-1",
    "workers-ai/@cf/x/y",
  ]);
});

test("a provider that makes no media is refused with the fix", () => {
  const agents = { defaults: { imageGenerationModel: "anthropic/claude-sonnet-5-5" } };
  expect(chosen({ agents }, { secrets: ["ANTHROPIC_API_KEY"] }).lacks).toEqual([
    "'anthropic' makes and reads no media (agents.defaults.imageGenerationModel). Name a provider with OpenAI's API, or workers-ai.",
  ]);
});
