import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { aiSdkModel, outputLimit, type WireOptions } from "./ai-sdk.ts";
import { joiningFetch, type WireDelta } from "./join-deltas.ts";
import type { Model } from "./model.ts";

/** Chat Completions, at OpenAI or any compatible server: Ollama, LM Studio, vLLM, DeepSeek, OpenRouter. */
export function openaiCompletions(options: WireOptions): Model {
  return aiSdkModel({
    ref: options.ref,
    input: options.input,
    contextWindow: options.contextWindow,
    maxOutputTokens: options.maxOutputTokens,
    baseUrl: options.baseUrl,
    language: () => openLanguage(options),
    takesFormat: true,
    imagesInResults: false,
    reasoningScope: "history",
    // One message: the chat templates of many open models allow a system message only at the start.
    arrange: ({ stable, dynamic }, conversation) => {
      const content = [stable, dynamic].filter((layer) => layer !== "").join("\n\n");
      return content === "" ? conversation : [{ role: "system", content }, ...conversation];
    },
    settings: (request) => ({
      // Local servers subtract a limit from their context, so it is only sent if someone set it.
      ...((options.limitsOutput || request.maxOutputTokens !== undefined) && {
        maxOutputTokens: outputLimit(options, request.maxOutputTokens),
      }),
      // Servers refuse the field for models that cannot think.
      ...(request.thinking !== "off" && options.reasoning !== false && { reasoning: request.thinking }),
      providerOptions: {
        compatible: {
          ...(request.cacheKey !== undefined &&
            takesCacheKey(options.baseUrl) && { prompt_cache_key: request.cacheKey }),
          ...(request.format?.schema !== undefined && { strictJsonSchema: request.format.strict ?? false }),
        },
      },
    }),
  });
}

async function openLanguage(options: WireOptions): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name: "compatible",
    baseURL: options.baseUrl,
    headers: options.headers,
    fetch: joiningFetch(options.fetch, completionsDelta),
    includeUsage: true,
    supportsStructuredOutputs: true,
    transformRequestBody: (body) => inHostDialect(options.baseUrl, body),
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
  });
  return provider.chatModel(options.modelId);
}

type Body = Record<string, unknown>;

/** Deviations of some hosts from the usual Chat Completions body, by host name; other hosts get the usual one. */
const DIALECTS = new Map<string, (body: Body) => Body>([
  // https://platform.openai.com/docs/api-reference/chat: reasoning models refuse `max_tokens`.
  ["api.openai.com", ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens })],
  // These answer 400 to unknown fields in a message, such as `reasoning_content`.
  ["api.groq.com", withoutReasoning],
  ["api.cerebras.ai", withoutReasoning],
  // Refuses unknown fields as well, and sends the usage without being asked.
  ["api.mistral.ai", ({ stream_options, ...body }) => withoutReasoning(body)],
  ["api.deepseek.com", thinkingSwitch],
]);

/** Adapts a request body to its host. */
export function inHostDialect(baseUrl: string, body: Body): Body {
  const dialect = DIALECTS.get(new URL(baseUrl).hostname);
  return dialect === undefined ? body : dialect(body);
}

/** Whether a host accepts `prompt_cache_key`; many others refuse unknown fields. */
export function takesCacheKey(baseUrl: string): boolean {
  return new URL(baseUrl).hostname === "api.openai.com";
}

/**
 * DeepSeek thinks unless thinking is disabled, and while it thinks it requires `reasoning_content` with every message
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

/** Fields of a delta that are text: the answer, and the reasoning under either of its names. */
const TEXT_FIELDS: readonly string[] = ["content", "reasoning_content", "reasoning"];

/** The delta of a chunk that only continues a text or the arguments of a call. */
function completionsDelta({ choices, usage }: JsonObject): WireDelta | undefined {
  const [choice, ...others] = Array.isArray(choices) ? choices : [];
  if (!isJsonObject(choice) || others.length > 0 || usage != null || choice.finish_reason != null) return undefined;
  const { delta, index = 0 } = choice;
  if (!isJsonObject(delta)) return undefined;
  const said = Object.entries(delta).filter(([name, value]) => value !== null && name !== "role");
  const [field = "", value] = said[0] ?? [];
  if (said.length !== 1) return undefined;
  if (typeof value === "string" && TEXT_FIELDS.includes(field))
    return { block: `${index} ${field}`, holder: delta, field };
  const [call, ...more] = field === "tool_calls" && Array.isArray(value) ? value : [];
  if (!isJsonObject(call) || more.length > 0 || call.id != null || !isJsonObject(call.function)) return undefined;
  const { arguments: text, name } = call.function;
  if (typeof text !== "string" || name != null) return undefined;
  return { block: `${index} call ${call.index}`, holder: call.function, field: "arguments" };
}
