import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel, outputLimit, type WireOptions } from "./ai-sdk.ts";
import type { Model } from "./model.ts";

/** Chat Completions, at OpenAI or any server that speaks it: Ollama, LM Studio, vLLM, DeepSeek, OpenRouter. */
export function openaiCompletions(options: WireOptions): Model {
  const provider = createOpenAICompatible({
    name: "compatible",
    baseURL: options.baseUrl,
    headers: options.headers,
    fetch: options.fetch,
    includeUsage: true,
    transformRequestBody: (body) => inDialectOf(options.baseUrl, body),
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
  });
  return aiSdkModel({
    ref: options.ref,
    contextWindow: options.contextWindow,
    maxOutputTokens: options.maxOutputTokens,
    baseUrl: options.baseUrl,
    language: provider.chatModel(options.modelId),
    imagesInResults: false,
    reasoningOf: "history",
    // One message: the chat templates of many open models allow a system message in the first place only.
    arrange: ({ stable, dynamic }, conversation) => {
      const content = [stable, dynamic].filter((layer) => layer !== "").join("\n\n");
      return content === "" ? conversation : [{ role: "system", content }, ...conversation];
    },
    settings: (request) => ({
      // Local servers count a limit against their context, so none is sent that nobody asked for.
      ...((options.limitsOutput || request.maxOutputTokens !== undefined) && {
        maxOutputTokens: outputLimit(options, request.maxOutputTokens),
      }),
      // Servers refuse the field for a model that does not think.
      ...(request.thinking !== "off" && options.reasoning !== false && { reasoning: request.thinking }),
      ...(request.cacheKey !== undefined &&
        takesCacheKey(options.baseUrl) && { providerOptions: { compatible: { prompt_cache_key: request.cacheKey } } }),
    }),
  });
}

type Body = Record<string, unknown>;

/**
 * What some hosts of Chat Completions want other than the rest, by host name: a function from the usual request body to
 * theirs. A host that is not here gets the usual one.
 */
const DIALECTS = new Map<string, (body: Body) => Body>([
  // https://platform.openai.com/docs/api-reference/chat: reasoning models refuse `max_tokens`.
  ["api.openai.com", ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens })],
  // These answer 400 to a message with a field that they do not know, such as `reasoning_content`.
  ["api.groq.com", withoutReasoning],
  ["api.cerebras.ai", withoutReasoning],
  // Refuses unknown fields as well, and tells the usage unasked.
  ["api.mistral.ai", ({ stream_options, ...body }) => withoutReasoning(body)],
  ["api.deepseek.com", thinkingSwitch],
]);

/** Fits a request body to the host that it is for. */
export function inDialectOf(baseUrl: string, body: Body): Body {
  const dialect = DIALECTS.get(new URL(baseUrl).hostname);
  return dialect === undefined ? body : dialect(body);
}

/** Whether a host takes `prompt_cache_key`; many others refuse a field that they do not know. */
export function takesCacheKey(baseUrl: string): boolean {
  return new URL(baseUrl).hostname === "api.openai.com";
}

/**
 * DeepSeek thinks unless it is told not to, and while it thinks it wants `reasoning_content` back with every message
 * that called tools, even an empty one (https://api-docs.deepseek.com/guides/thinking_mode).
 */
function thinkingSwitch(body: Body): Body {
  const thinks = body.reasoning_effort !== undefined;
  const thinking = { type: thinks ? "enabled" : "disabled" };
  if (!thinks) return { ...withoutReasoning(body), thinking };
  return {
    ...mapMessages(body, (message) => ("tool_calls" in message ? { reasoning_content: "", ...message } : message)),
    thinking,
  };
}

function withoutReasoning(body: Body): Body {
  return mapMessages(body, ({ reasoning_content, ...message }) => message);
}

function mapMessages(body: Body, change: (message: Body) => Body): Body {
  const messages = body.messages;
  return Array.isArray(messages) ? { ...body, messages: messages.map(change) } : body;
}
