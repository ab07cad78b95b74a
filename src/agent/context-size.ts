import type { JsonObject } from "../lib/json.ts";
import { estimateTokens } from "../lib/tokens.ts";
import { mediaTokens } from "../models/media-content.ts";
import type { AssistantPart, Message } from "../models/message.ts";
import type { Model, SystemPrompt, ToolSchema } from "../models/model.ts";
import { userText } from "../models/user-text.ts";
import { type ContextBudget, contextBudget } from "./context-rules.ts";
import type { View } from "./journal.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { offeredTools } from "./offered-tools.ts";

/** Tokens of a message besides its content. */
const MESSAGE_OVERHEAD = 4;
/** The most that providers charge for an image of common size. */
const IMAGE_TOKENS = 1500;
/**
 * A provider's count outside of these shares of the estimate counts something else, such as only the uncached input.
 */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 3;

/** The size of the next request and its budget, in tokens. */
export interface ContextSize {
  view: View;
  /** Everything in a request except messages. */
  fixed: number;
  /** The whole request. */
  tokens: number;
  budget: ContextBudget;
}

/** Measures the next request of a loop. */
export function measureContext({ journal, request, model, context, ...tools }: LoopDeps): ContextSize {
  const view = journal.view();
  const fixed = fixedTokens(request.system, offeredTools(tools, view.messages));
  return { view, fixed, tokens: contextTokens(view, fixed, model), budget: contextBudget(context, model, fixed) };
}

/**
 * The estimated tokens of a request with this view. If the provider counted an earlier request with the same beginning,
 * that count is used and only the rest is estimated.
 * @param fixed tokens of everything in a request except messages
 */
export function contextTokens(
  { messages, countedFrom }: View,
  fixed: number,
  model: Pick<Model, "ref" | "input">,
): number {
  const estimate = fixed + messagesTokens(messages, model);
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.usage.input > 0);
  const reply = messages[at];
  if (at < countedFrom || reply?.role !== "assistant" || reply.model !== model.ref) return estimate;
  const since = messagesTokens(messages.slice(at), model);
  const ratio = reply.usage.input / (estimate - since);
  return ratio >= LEAST_RATIO && ratio <= MOST_RATIO ? reply.usage.input + since : estimate;
}

/** The estimated tokens of messages together, as a model is shown them. */
export function messagesTokens(messages: readonly Message[], model: Pick<Model, "input">): number {
  return messages.reduce((sum, message) => sum + wordTokens(message), mediaTokens(messages, model.input));
}

const ofMessages = new WeakMap<Message, number>();

/** The estimated tokens of a message; cached, because the context is measured before every request. */
export function messageTokens(message: Message, { input }: Pick<Model, "input">): number {
  return wordTokens(message) + mediaTokens([message], input);
}

/** The tokens of a message without its PDFs and recordings. */
function wordTokens(message: Message): number {
  return remembered(ofMessages, message, () => MESSAGE_OVERHEAD + contentTokens(message));
}

function contentTokens(message: Message): number {
  if (message.role === "assistant") return message.parts.reduce((sum, part) => sum + partTokens(part), 0);
  const text = message.role === "user" ? userText(message) : message.text;
  return estimateTokens(text) + (message.images?.length ?? 0) * IMAGE_TOKENS;
}

function partTokens(part: AssistantPart): number {
  if (part.type === "text") return estimateTokens(part.raw ?? part.text);
  if (part.type === "reasoning") return part.inline ? 0 : estimateTokens(part.text);
  return MESSAGE_OVERHEAD + estimateTokens(part.tool) + estimateTokens(JSON.stringify(part.args));
}

const ofParameters = new WeakMap<JsonObject, number>();
/** The last stable layer and its size: it is long and the same in every turn. */
let stableLayer = { text: "", tokens: 0 };

/** The estimated tokens of everything in a request except messages. */
export function fixedTokens({ stable, dynamic }: SystemPrompt, tools: readonly ToolSchema[]): number {
  if (stableLayer.text !== stable) stableLayer = { text: stable, tokens: estimateTokens(stable) };
  return tools.reduce((sum, tool) => sum + toolTokens(tool), stableLayer.tokens + estimateTokens(dynamic));
}

function toolTokens({ name, description, parameters }: ToolSchema): number {
  const schema = remembered(ofParameters, parameters, () => estimateTokens(JSON.stringify(parameters)));
  return MESSAGE_OVERHEAD + estimateTokens(name) + estimateTokens(description) + schema;
}

function remembered<Key extends object>(known: WeakMap<Key, number>, key: Key, measure: () => number): number {
  const tokens = known.get(key) ?? measure();
  known.set(key, tokens);
  return tokens;
}
