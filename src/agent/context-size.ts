import type { JsonObject } from "../lib/json.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { AssistantPart, Message } from "../models/message.ts";
import type { SystemPrompt, ToolSchema } from "../models/model.ts";
import { type Budget, budgetOf } from "./context-rules.ts";
import type { View } from "./journal.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { toolSchema } from "./tool.ts";

/** What a message costs besides its content. */
const MESSAGE_OVERHEAD = 4;
/** What providers charge for an image of common size, at most. */
const IMAGE_TOKENS = 1500;
/** A provider's count that is further from the estimate than this is one of something else: of what its cache lacked, say. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 3;

/** What the next request would take, and what it may; in tokens. */
export interface Measured {
  view: View;
  /** Of what every request carries besides messages. */
  fixed: number;
  /** Of the whole request. */
  tokens: number;
  budget: Budget;
}

/** Measures the request that a loop would make next. */
export function measured({ journal, request, tools, model, context }: LoopDeps): Measured {
  const view = journal.view();
  const fixed = fixedTokens(request.system, tools.map(toolSchema));
  return { view, fixed, tokens: contextTokens(view, fixed, model.ref), budget: budgetOf(context, model, fixed) };
}

/**
 * About how many tokens a request with this view has. Where its provider has counted a request with the beginning of
 * it, that count holds for it, and only what came after is estimated.
 * @param fixed tokens of what every request carries besides messages
 * @param model `provider/model` that is to be asked
 */
export function contextTokens({ messages, countedFrom }: View, fixed: number, model: string): number {
  const estimate = fixed + tokensOf(messages);
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.usage.input > 0);
  const reply = messages[at];
  if (at < countedFrom || reply?.role !== "assistant" || reply.model !== model) return estimate;
  const since = tokensOf(messages.slice(at));
  const ratio = reply.usage.input / (estimate - since);
  return ratio >= LEAST_RATIO && ratio <= MOST_RATIO ? reply.usage.input + since : estimate;
}

/** About how many tokens messages have together. */
export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

const ofMessages = new WeakMap<Message, number>();

/** About how many tokens a message has; remembered, because a context is measured before every request. */
export function messageTokens(message: Message): number {
  return remembered(ofMessages, message, () => MESSAGE_OVERHEAD + contentTokens(message));
}

function contentTokens(message: Message): number {
  if (message.role === "assistant") return message.parts.reduce((sum, part) => sum + partTokens(part), 0);
  return estimateTokens(message.text) + (message.images?.length ?? 0) * IMAGE_TOKENS;
}

function partTokens(part: AssistantPart): number {
  if (part.type === "text") return estimateTokens(part.raw ?? part.text);
  if (part.type === "reasoning") return part.inline ? 0 : estimateTokens(part.text);
  return MESSAGE_OVERHEAD + estimateTokens(part.tool) + estimateTokens(JSON.stringify(part.args));
}

const ofParameters = new WeakMap<JsonObject, number>();
/** The last stable layer: it is the same in every turn, and long. */
let stableLayer = { text: "", tokens: 0 };

/** About how many tokens every request carries besides messages. */
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
