import { z } from "@hono/zod-openapi";
import { usage } from "./run-schema.ts";

const head = {
  seq: z.int().openapi({ description: "Its position; also the number of its event." }),
  runId: z.string(),
  id: z.string(),
  at: z.int().openapi({ description: "Milliseconds since the epoch." }),
  aside: z.literal(true).optional().openapi({ description: "A command or its answer, which is not sent to models." }),
};

const images = z.array(z.object({ path: z.string(), mediaType: z.string() }));
const media = z
  .array(
    z.object({
      path: z.string(),
      mediaType: z.enum(["application/pdf", "audio/mpeg", "audio/wav"]),
      bytes: z.int(),
      pages: z.int().optional(),
      seconds: z.number().optional(),
      isVoice: z.literal(true).optional(),
    }),
  )
  .openapi({ description: "PDFs and recordings, which models that take them are shown." });
const meta = z
  .record(z.string(), z.record(z.string(), z.any()))
  .optional()
  .openapi({ description: "The provider's own." });

const userMessage = z.object({
  ...head,
  role: z.literal("user"),
  text: z.string(),
  images: images.optional(),
  media: media.optional(),
  sender: z
    .object({
      id: z.string(),
      name: z.string().optional(),
      owner: z.boolean(),
      behalfOf: z
        .string()
        .optional()
        .openapi({ description: "Of the system: the person, as `channel:id`, whose turn it speaks for." }),
    })
    .optional(),
  isSpoken: z.literal(true).optional().openapi({ description: "Set if some of it was said in a voice note." }),
  commandAt: z.int().optional().openapi({ description: "The offset in the text at which an owner typed a command." }),
  fromRunId: z
    .string()
    .optional()
    .openapi({ description: "The run of the message, where that was merged into another run." }),
});

const assistantMessage = z.object({
  ...head,
  role: z.literal("assistant"),
  model: z.string(),
  stop: z.enum(["stop", "length", "tool-calls", "refusal", "error", "aborted"]),
  usage,
  parts: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string(), meta }),
      z.object({ type: z.literal("reasoning"), text: z.string(), meta }),
      z.object({
        type: z.literal("tool-call"),
        callId: z.string(),
        tool: z.string(),
        args: z.record(z.string(), z.any()),
        invalidArgs: z.string().optional(),
        meta,
      }),
    ]),
  ),
  directives: z
    .object({
      replyTo: z.union([z.literal("current"), z.object({ id: z.string() })]).optional(),
      files: z.array(z.string()).optional().openapi({ description: "Files to send with it, as they were named." }),
      asVoice: z.literal(true).optional(),
      speech: z
        .object({ text: z.string().optional(), voice: z.string().optional() })
        .optional()
        .openapi({ description: "Set if it is to be read aloud; `text` is what is said where that is not its text." }),
    })
    .optional()
    .openapi({ description: "What its text asks for with tags." }),
  error: z
    .object({
      kind: z.enum(["overflow", "overloaded", "rate_limit", "auth", "billing", "timeout", "format", "other"]),
      message: z.string(),
      status: z.int().optional(),
      retryAfterMs: z.int().optional(),
    })
    .optional(),
});

const toolMessage = z.object({
  ...head,
  role: z.literal("tool"),
  callId: z.string(),
  tool: z.string(),
  text: z.string(),
  images: images.optional(),
  files: z
    .array(z.object({ path: z.string(), asVoice: z.literal(true).optional() }))
    .optional()
    .openapi({ description: "Files that it has made, which are sent with the reply." }),
  sources: z
    .array(z.object({ url: z.string(), title: z.string() }))
    .optional()
    .openapi({ description: "The pages that a search found, or that was fetched." }),
  costMicros: z.int().optional().openapi({ description: "What the call cost, in millionths of a US dollar." }),
  isError: z.boolean(),
  spill: z
    .object({ id: z.string(), bytes: z.int() })
    .optional()
    .openapi({ description: "Set where `text` is a preview; the whole is at /v1/sessions/{key}/spills/{id}." }),
});

/** One message of a transcript with its position. */
export const historyMessage = z
  .discriminatedUnion("role", [userMessage, assistantMessage, toolMessage])
  .openapi("Message");

/** A page of a transcript, oldest message first. */
export const historyPage = z.object({
  messages: z.array(historyMessage),
  cursor: z.int().openapi({ description: "Events after this number are not in the page yet." }),
  before: z.int().optional().openapi({ description: "Ask with it for the page before; absent on the first page." }),
});

export type HistoryMessage = z.infer<typeof historyMessage>;
export type History = z.infer<typeof historyPage>;
