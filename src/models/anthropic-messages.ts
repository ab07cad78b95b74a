import type { AnthropicLanguageModelOptions } from "@ai-sdk/anthropic";
import type { LanguageModelV4, LanguageModelV4Message } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { aiSdkModel, NO_KEY, outputLimit, type WireOptions } from "./ai-sdk.ts";
import { carriedInput } from "./input-kinds.ts";
import { joiningFetch, type WireDelta } from "./join-deltas.ts";
import type { Model } from "./model.ts";

const CACHED = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };

/**
 * Anthropic's Messages API. Two cache breakpoints: after the stable system prompt, which includes the tools before it,
 * and after the last message, for the next call of the same run.
 */
export function anthropicMessages(options: WireOptions): Model {
  return aiSdkModel({
    ref: options.ref,
    input: carriedInput(options.input, ["image", "pdf"]),
    contextWindow: options.contextWindow,
    maxOutputTokens: options.maxOutputTokens,
    baseUrl: options.baseUrl,
    language: () => openLanguage(options),
    // For models that cannot, the package adds a tool that must be called, and no other tool would be.
    takesFormat: false,
    imagesInResults: true,
    // The API refuses thinking of an earlier turn if anything before it changed, and our system prompt may.
    reasoningScope: "turn",
    arrange: ({ stable, dynamic }, conversation) => [
      ...(stable === "" ? [] : [{ role: "system" as const, content: stable, ...CACHED }]),
      ...(dynamic === "" ? [] : [{ role: "system" as const, content: dynamic }]),
      ...cachedToTheEnd(conversation),
    ],
    settings: (request) => ({
      maxOutputTokens: outputLimit(options, request.maxOutputTokens),
      providerOptions: { anthropic: { includePings: true } satisfies AnthropicLanguageModelOptions },
      ...(options.reasoning !== false && { reasoning: request.thinking === "off" ? "none" : request.thinking }),
    }),
  });
}

async function openLanguage(options: WireOptions): Promise<LanguageModelV4> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const provider = createAnthropic({
    baseURL: versioned(options.baseUrl),
    apiKey: options.apiKey ?? NO_KEY,
    headers: options.headers,
    fetch: joiningFetch(options.fetch, messagesDelta),
  });
  return provider.messages(options.modelId);
}

function cachedToTheEnd(conversation: LanguageModelV4Message[]): LanguageModelV4Message[] {
  const last = conversation.at(-1);
  return last === undefined ? conversation : [...conversation.slice(0, -1), { ...last, ...CACHED }];
}

/** Base URLs of this format are usually given without the version: `https://api.minimax.io/anthropic`. */
function versioned(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, "");
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

/** The text of each kind of delta; a signature comes once. */
const DELTA_FIELDS = new Map<unknown, string>([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
]);

/** The delta of an event that only continues a content block. */
function messagesDelta({ type, index, delta }: JsonObject): WireDelta | undefined {
  if (type !== "content_block_delta" || !isJsonObject(delta)) return undefined;
  const field = DELTA_FIELDS.get(delta.type);
  if (field === undefined || typeof delta[field] !== "string") return undefined;
  return { block: `${index} ${field}`, holder: delta, field };
}
