import { z } from "zod";

const MIB = 1024 * 1024;

const audioModel = z.strictObject({
  provider: z
    .string()
    .min(1)
    .describe("`workers-ai`, or a provider of `models.providers` (or a built-in one) with OpenAI's way to transcribe."),
  model: z.string().min(1).optional().describe("Its model; the provider's usual one where absent."),
});

/** `tools.media`. */
export const media = z
  .strictObject({
    audio: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe("Whether recordings are transcribed: voice notes of chats, and what `transcribe` is given."),
        models: z
          .array(audioModel)
          .max(5)
          .default([])
          .describe(
            "Who transcribes; the next one where one fails. Where empty: Workers AI on Cloudflare, else OpenAI or Groq if " +
              "its key is set.",
          ),
        language: z
          .string()
          .regex(/^[a-z]{2,3}$/, "use a code such as `de`")
          .optional()
          .describe("The language that is spoken, such as `de`; it is detected where absent."),
        prompt: z.string().max(1000).optional().describe("Names and words that occur, for their spelling."),
        maxBytes: z
          .number()
          .int()
          .min(1)
          .max(10 * MIB)
          .default(10 * MIB)
          .describe("Largest recording that is transcribed, in bytes."),
        timeoutSeconds: z.number().int().min(1).max(300).default(60).describe("Longest time of a transcription."),
      })
      .prefault({})
      .describe("Recordings."),
  })
  .prefault({})
  .describe("What agents understand besides text.");

const voiceOf = z.strictObject({
  model: z.string().min(1).optional().describe("Its model; the provider's usual one where absent."),
  voice: z.string().min(1).max(100).optional().describe("The voice, by the provider's name of it."),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, "use a code such as `zh`")
    .optional()
    .describe("The language that is spoken, for models that have to be told, such as MeloTTS."),
  responseFormat: z
    .enum(["opus", "mp3", "aac", "flac", "wav"])
    .default("opus")
    .describe("The audio format that the provider is asked for; chats show Opus as a voice note."),
});

/** `messages.tts`. */
export const tts = z
  .strictObject({
    auto: z
      .enum(["off", "always", "inbound", "tagged"])
      .default("off")
      .describe("Which replies are read aloud: none, all, those to voice notes, or those that the model marks."),
    provider: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Who reads aloud: `workers-ai`, or a provider of `models.providers` (or a built-in one) with OpenAI's way to speak. " +
          "Where absent and `auto` is on: Workers AI on Cloudflare, else OpenAI if its key is set.",
      ),
    providers: z
      .record(z.string(), voiceOf)
      .default({})
      .describe("The model and the voice of a provider, by its name."),
    maxTextLength: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .default(4000)
      .describe("Most characters that are read aloud; a longer reply stays text."),
    timeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(300_000)
      .default(30_000)
      .describe("Longest time of reading aloud, in milliseconds."),
    hint: z
      .string()
      .max(1000)
      .optional()
      .describe("Text of the prompt's voice section; where absent, one that fits `auto`."),
  })
  .prefault({})
  .describe("Replies that are read aloud.");

/** `agents.defaults.imageGenerationModel`. */
export const imageGenerationModel = z
  .union([
    z.string(),
    z.strictObject({
      primary: z.string().describe("`provider/model` that is asked first."),
      fallbacks: z
        .array(z.string())
        .max(5)
        .default([])
        .describe("Models to ask, in this order, when the one before fails."),
      timeoutMs: z
        .number()
        .int()
        .min(1000)
        .max(600_000)
        .default(180_000)
        .describe("Longest time of one request, in milliseconds."),
    }),
  ])
  .describe(
    "The model that makes pictures, as `provider/model`; without one there is no `image_generate`. The provider is " +
      "`workers-ai`, or one with OpenAI's way to make images.",
  );
