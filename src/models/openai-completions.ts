import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel } from "./ai-sdk.ts";
import type { Model } from "./model.ts";
import { inDialectOf, takesCacheKey } from "./openai-dialects.ts";
import { outputLimit, type WireOptions } from "./wire.ts";

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
