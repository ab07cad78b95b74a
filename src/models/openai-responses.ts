import type { OpenAILanguageModelResponsesOptions } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { JsonObject } from "../lib/json.ts";
import { aiSdkModel, NO_KEY, outputLimit, type WireOptions } from "./ai-sdk.ts";
import { carriedInput } from "./input-kinds.ts";
import { joiningFetch, type WireDelta } from "./join-deltas.ts";
import type { Model } from "./model.ts";

/**
 * OpenAI's Responses API. Nothing depends on the provider's storage: reasoning arrives encrypted and is sent back with
 * the transcript. The stable system prompt is `instructions`, the dynamic one the first message.
 */
export function openaiResponses(options: WireOptions): Model {
  return aiSdkModel({
    ref: options.ref,
    input: carriedInput(options.input, ["image", "pdf"]),
    contextWindow: options.contextWindow,
    maxOutputTokens: options.maxOutputTokens,
    baseUrl: options.baseUrl,
    language: () => openLanguage(options),
    takesFormat: true,
    imagesInResults: true,
    reasoningScope: "history",
    arrange: ({ dynamic }, conversation) =>
      dynamic === "" ? conversation : [{ role: "system", content: dynamic }, ...conversation],
    settings: (request) => ({
      ...((options.limitsOutput || request.maxOutputTokens !== undefined) && {
        maxOutputTokens: outputLimit(options, request.maxOutputTokens),
      }),
      reasoning: request.thinking === "off" ? "none" : request.thinking,
      providerOptions: {
        openai: {
          store: false,
          ...(request.system.stable !== "" && { instructions: request.system.stable }),
          ...(request.cacheKey !== undefined && { promptCacheKey: request.cacheKey }),
          reasoningSummary: request.thinking === "off" ? null : "auto",
          ...(request.format?.schema !== undefined && { strictJsonSchema: request.format.strict ?? false }),
          ...(options.reasoning !== undefined && { forceReasoning: options.reasoning }),
        } satisfies OpenAILanguageModelResponsesOptions,
      },
    }),
  });
}

async function openLanguage(options: WireOptions): Promise<LanguageModelV4> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const provider = createOpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey ?? NO_KEY,
    headers: options.headers,
    fetch: joiningFetch(options.fetch, responsesDelta, RAW_REASONING),
  });
  return provider.responses(options.modelId);
}

const DELTAS: readonly unknown[] = [
  "response.output_text.delta",
  "response.reasoning_summary_text.delta",
  "response.function_call_arguments.delta",
];

/** Reasoning that is no summary, as LM Studio and gpt-oss servers send it; the AI SDK reads summaries only. */
const RAW_REASONING = /"response\.reasoning_text\.delta"/;

/** The delta of an event that only continues a part of an output item. */
function responsesDelta(event: JsonObject): WireDelta | undefined {
  if (event.type === "response.reasoning_text.delta") {
    event.type = "response.reasoning_summary_text.delta";
    event.summary_index = event.content_index ?? 0;
  }
  const { type, item_id, output_index, content_index, summary_index, delta } = event;
  if (!DELTAS.includes(type) || typeof delta !== "string") return undefined;
  const block = JSON.stringify([type, item_id, output_index, content_index, summary_index]);
  return { block, holder: event, field: "delta" };
}
