import { z } from "@hono/zod-openapi";
import { responseFormat, responseToolChoice, responseTools } from "./client-tools.ts";
import { MODEL_PARAM, reasoningEffort, toolsShown, unsupported } from "./shared-schema.ts";

const inputText = z.object({ type: z.literal("input_text"), text: z.string() });
const inputImage = z.object({
  type: z.literal("input_image"),
  image_url: z
    .string("send the image as a data: URL")
    .openapi({ description: "A data: URL of PNG, JPEG, WebP or GIF." }),
});
const inputFile = z.object({
  type: z.literal("input_file"),
  file_data: z.string("send the file as a data: URL").openapi({ description: "A data: URL." }),
  filename: z.string().optional(),
});
const outputText = z.object({ type: z.literal("output_text"), text: z.string() });
const refusal = z.object({ type: z.literal("refusal"), refusal: z.string() });

const contentPart = z.discriminatedUnion("type", [inputText, inputImage, inputFile, outputText, refusal]);

/** One part of a message. */
export type ResponsePart = z.infer<typeof contentPart>;

const message = z.object({
  type: z.literal("message").openapi({ description: "Optional." }),
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: z.union([z.string(), z.array(contentPart)]),
});

const callId = z.string().min(1).max(200);
/** A call of a tool of the client's, as an earlier response had it. */
const clientCall = z.object({
  type: z.literal("function_call"),
  call_id: callId,
  name: z.string(),
  arguments: z.string(),
});
const toolOutput = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const clientResult = z.object({ type: z.literal("function_call_output"), call_id: callId, output: toolOutput });
/** The result of a tool that cannot be offered here. */
const otherResult = z.object({ type: z.literal("custom_tool_call_output"), output: toolOutput });
/** Items of earlier answers that the agent does not need. */
const ignoredItem = z.object({
  type: z.enum(["reasoning", "item_reference", "custom_tool_call", "mcp_call", "mcp_list_tools"]),
});

const inputItem = z.discriminatedUnion(
  "type",
  [message, clientCall, clientResult, otherResult, ignoredItem],
  "this kind of item is not known",
);

/** One item of a request's input. */
export type InputItem = z.infer<typeof inputItem>;

/** Adds the type `message`, which a message may leave out. */
function withType(item: unknown): unknown {
  const isMessage = typeof item === "object" && item !== null && "role" in item && !("type" in item);
  return isMessage ? { ...item, type: "message" } : item;
}

/** The body of `POST /v1/responses`. Other fields are accepted and ignored. */
export const responsesRequest = z
  .looseObject({
    model: MODEL_PARAM.default("isopod"),
    input: z.union([z.string(), z.array(z.preprocess(withType, inputItem)).min(1).max(2000)]),
    instructions: z.string().nullish().openapi({ description: "For the model of this run only." }),
    previous_response_id: z.string().nullish().openapi({ description: "Continues in that response's session." }),
    user: z.string().nullish().openapi({ description: "Selects a session of its own, which keeps the conversation." }),
    stream: z.boolean().nullish(),
    background: z
      .boolean()
      .nullish()
      .openapi({ description: "Answers at once; read the result with `GET /v1/responses/{id}`." }),
    store: z
      .boolean()
      .nullish()
      .openapi({ description: "With false, a single-request session is deleted after ten minutes." }),
    reasoning: z
      .looseObject({
        effort: reasoningEffort,
        summary: z
          .enum(["auto", "concise", "detailed"])
          .nullish()
          .openapi({ description: "Adds the reasoning to the output." }),
      })
      .nullish(),
    isopod: toolsShown,
    metadata: z
      .record(z.string(), z.string())
      .nullish()
      .openapi({ description: "Returned in the response, but not stored." }),
    tools: responseTools
      .nullish()
      .openapi({ description: "Tools that the client runs itself, beside the agent's own." }),
    tool_choice: responseToolChoice.nullish(),
    text: z.looseObject({ format: responseFormat.nullish() }).nullish(),
    conversation: unsupported("conversations are sessions here: name one with `user`"),
    prompt: unsupported("prompt templates are not known here"),
    top_logprobs: unsupported("log probabilities are not known here"),
  })
  .openapi("ResponsesRequest");

/** The body of `POST /v1/responses`, checked. */
export type ResponsesRequest = z.infer<typeof responsesRequest>;

const nothing = z.never().openapi({ type: "object", description: "Always empty." });
const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const outputMessage = z.object({
  type: z.literal("message"),
  id: z.string(),
  role: z.literal("assistant"),
  status: itemStatus,
  content: z.array(
    z.object({
      type: z.literal("output_text"),
      text: z.string(),
      annotations: z.array(nothing),
      logprobs: z.array(nothing),
    }),
  ),
});
const outputReasoning = z.object({
  type: z.literal("reasoning"),
  id: z.string(),
  status: itemStatus,
  summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
});
const outputCall = z.object({
  type: z.literal("mcp_call"),
  id: z.string(),
  server_label: z.literal("isopod"),
  name: z.string(),
  arguments: z.string(),
  output: z.string().nullable(),
  error: z.object({ type: z.literal("mcp_tool_execution_error"), content: z.string() }).nullable(),
  status: z.enum(["in_progress", "completed", "failed", "incomplete"]),
});

const outputClientCall = z.object({
  type: z.literal("function_call"),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: itemStatus,
});

const outputItem = z.discriminatedUnion("type", [outputMessage, outputReasoning, outputCall, outputClientCall]);

/** One item of a response's output. */
export type OutputItem = z.infer<typeof outputItem>;
export type OutputMessage = z.infer<typeof outputMessage>;
export type OutputReasoning = z.infer<typeof outputReasoning>;
export type OutputCall = z.infer<typeof outputCall>;
export type OutputClientCall = z.infer<typeof outputClientCall>;

const usage = z
  .object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
  })
  .openapi("ResponseUsage");

/** Tokens of a run, in the form of the Responses API. */
export type ResponseUsage = z.infer<typeof usage>;

const status = z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]);

const shownFunction = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.any()).nullable(),
  strict: z.boolean().nullable(),
});
const shownFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string(),
    description: z.string().exactOptional(),
    schema: z.record(z.string(), z.any()),
    strict: z.boolean().nullable(),
  }),
]);

/** A response, in progress or ended. */
export const response = z
  .object({
    id: z.string().openapi({ description: "The run's id with `resp_` in place of `run_`." }),
    object: z.literal("response"),
    created_at: z.int(),
    status,
    background: z.boolean(),
    error: z.object({ code: z.enum(["server_error", "rate_limit_exceeded"]), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
    instructions: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(outputItem),
    parallel_tool_calls: z.literal(true),
    previous_response_id: z.string().nullable(),
    store: z.boolean(),
    temperature: z.null(),
    text: z.object({ format: shownFormat }),
    tool_choice: z.union([
      z.enum(["auto", "none", "required"]),
      z.object({ type: z.literal("function"), name: z.string() }),
    ]),
    tools: z.array(shownFunction),
    top_p: z.null(),
    truncation: z.literal("disabled"),
    usage: usage.nullable(),
  })
  .openapi("Response");

/** A response, in progress or ended. */
export type ResponseObject = z.infer<typeof response>;
