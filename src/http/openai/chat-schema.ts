import { z } from "@hono/zod-openapi";
import { chatFormat, chatToolChoice, chatTools } from "./client-tools.ts";
import { MODEL_PARAM, reasoningEffort, toolsShown, unsupported } from "./shared-schema.ts";

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const imagePart = z.object({
  type: z.literal("image_url"),
  image_url: z.object({ url: z.string().openapi({ description: "A data: URL of PNG, JPEG, WebP or GIF." }) }),
});
const filePart = z.object({
  type: z.literal("file"),
  file: z.object({
    file_data: z.string().openapi({ description: "A data: URL." }),
    filename: z.string().optional(),
  }),
});
const audioPart = z.object({
  type: z.literal("input_audio"),
  input_audio: z.object({ data: z.string().openapi({ description: "Base64." }), format: z.enum(["wav", "mp3"]) }),
});
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });

/** One part of a message. */
export type ChatPart = z.infer<
  typeof textPart | typeof imagePart | typeof filePart | typeof audioPart | typeof refusalPart
>;

const name = z.string().optional();
const texts = z.union([z.string(), z.array(textPart)]);

const chatMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: texts, name }),
  z.object({ role: z.literal("developer"), content: texts, name }),
  z.object({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textPart, imagePart, filePart, audioPart]))]),
    name,
  }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textPart, refusalPart]))]).nullish(),
    name,
    tool_calls: z
      .array(
        z.looseObject({
          id: z.string().min(1).max(200),
          function: z.looseObject({ name: z.string(), arguments: z.string() }),
        }),
      )
      .nullish(),
  }),
  z.object({ role: z.literal("tool"), content: texts, tool_call_id: z.string().optional() }),
  z.object({ role: z.literal("function"), content: texts.nullable(), name }),
]);

/** One message of a request. */
export type ChatMessage = z.infer<typeof chatMessage>;

/** The body of `POST /v1/chat/completions`. Other fields are accepted and ignored. */
export const chatRequest = z
  .looseObject({
    model: MODEL_PARAM,
    messages: z.array(chatMessage).min(1).max(2000),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    user: z.string().nullish().openapi({ description: "Selects a session of its own, which keeps the conversation." }),
    reasoning_effort: reasoningEffort,
    isopod: toolsShown,
    n: z.int().max(1, "one answer is given at a time").nullish(),
    tools: chatTools.nullish().openapi({ description: "Tools that the client runs itself, beside the agent's own." }),
    tool_choice: chatToolChoice.nullish(),
    functions: z.array(z.unknown()).max(0, "use tools: functions are their old form").nullish(),
    response_format: chatFormat.nullish(),
    logprobs: unsupported("log probabilities are not known here"),
    top_logprobs: unsupported("log probabilities are not known here"),
    audio: unsupported("the agent does not speak"),
    modalities: z.array(z.enum(["text"], "the agent answers in text")).nullish(),
  })
  .openapi("ChatCompletionRequest");

/** The body of `POST /v1/chat/completions`, checked. */
export type ChatRequest = z.infer<typeof chatRequest>;

const usage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
    completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
  })
  .openapi("CompletionUsage");

/** Tokens of a run, in the form of chat completions. */
export type ChatUsage = z.infer<typeof usage>;

const finishReason = z.enum(["stop", "length", "content_filter", "tool_calls"]);

/** Why a chat completion ended. */
export type FinishReason = z.infer<typeof finishReason>;

const toolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** A call of a tool of the client's. */
export type ChatToolCall = z.infer<typeof toolCall>;

const shownTool = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.any()),
    output: z.string().optional().openapi({ description: "Absent until the call has ended." }),
    is_error: z.boolean().optional(),
  })
  .openapi("ShownToolCall");

/** A tool call of the agent's own, shown with `x-isopod-tools: show`. */
export type ShownTool = z.infer<typeof shownTool>;

/** The answer to a request that does not stream. */
export const chatCompletion = z
  .object({
    id: z.string().openapi({ description: "The run's id with `chatcmpl-` in place of `run_`." }),
    object: z.literal("chat.completion"),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal("assistant"),
          content: z.string().nullable(),
          refusal: z.null(),
          tool_calls: z.array(toolCall).exactOptional(),
        }),
        logprobs: z.null(),
        finish_reason: finishReason,
      }),
    ),
    usage,
    isopod: z
      .object({ tools: z.array(shownTool) })
      .optional()
      .openapi({ description: "With `x-isopod-tools: show`." }),
  })
  .openapi("ChatCompletion");

export type ChatCompletion = z.infer<typeof chatCompletion>;

/** One event of a streamed answer. */
export interface ChatChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  choices: {
    index: number;
    delta: { role?: "assistant"; content?: string; tool_calls?: (ChatToolCall & { index: number })[] };
    logprobs: null;
    finish_reason: FinishReason | null;
  }[];
  usage?: ChatUsage | null;
  /** With `x-isopod-tools: show`: a tool call when it starts, and again when it has ended. */
  isopod?: { tool: ShownTool };
}
