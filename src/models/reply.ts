import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { JsonObject } from "../lib/json.ts";
import type { AssistantPart, ProviderMeta, StopReason, ToolCallPart, Usage } from "./message.ts";
import type { ModelEvent, ModelReply } from "./model.ts";

/** A streamed block of text, with the metadata of all its deltas. */
interface StreamedBlock {
  type: "text" | "reasoning";
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Assembles an answer from the parts of its stream, in the order in which they begin. */
export class ReplyBuilder {
  readonly #entries: (StreamedBlock | ToolCallPart)[] = [];
  readonly #open = new Map<string, StreamedBlock>();
  readonly #newCallId: (given: string) => string;
  #finish: Finish | undefined;

  /** @param newCallId returns the id to use for a call, from the provider's */
  constructor(newCallId: (given: string) => string) {
    this.#newCallId = newCallId;
  }

  /** Adds the next part of the stream, and returns the event to emit for it. */
  take(part: LanguageModelV4StreamPart): ModelEvent | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part.type === "text-start" ? "text" : "reasoning", part.id, part.providerMetadata);
        return undefined;
      case "text-delta":
        return this.#append("text", part.id, part.delta, part.providerMetadata);
      case "reasoning-delta":
        return this.#append("reasoning", part.id, part.delta, part.providerMetadata);
      case "text-end":
      case "reasoning-end":
        this.#close(part.type === "text-end" ? "text" : "reasoning", part.id, part.providerMetadata);
        return undefined;
      case "ping":
      case "tool-input-start":
      case "tool-input-delta":
        return { type: "progress" };
      case "tool-call":
        // A tool that the provider runs itself is not called by us.
        if (!part.providerExecuted) this.#entries.push(this.#call(part));
        return undefined;
      case "finish":
        this.#finish = part;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Why the stream ended; undefined if it broke before its finish part. */
  get finish(): LanguageModelV4FinishReason["unified"] | undefined {
    return this.#finish?.finishReason.unified;
  }

  /** The answer of a finished stream. */
  whole(): ModelReply {
    const parts = this.#parts();
    return { parts, stop: stopReason(this.finish, parts), usage: toUsage(this.#finish?.usage) };
  }

  /** The incomplete answer of a stream that failed or was aborted. Its calls are left out: they are never run. */
  broken(stop: "error" | "aborted"): ModelReply {
    const parts = this.#parts().filter((part) => part.type !== "tool-call");
    return { parts, stop, usage: toUsage(this.#finish?.usage) };
  }

  #begin(type: StreamedBlock["type"], id: string, metadata: SharedV4ProviderMetadata | undefined): StreamedBlock {
    const block: StreamedBlock = { type, text: "", metadata };
    this.#entries.push(block);
    this.#open.set(`${type} ${id}`, block);
    return block;
  }

  #append(type: StreamedBlock["type"], id: string, delta: string, metadata: SharedV4ProviderMetadata | undefined) {
    const block = this.#open.get(`${type} ${id}`) ?? this.#begin(type, id, undefined);
    block.text += delta;
    block.metadata = mergeMetadata(block.metadata, metadata);
    return delta === "" ? undefined : { type, delta };
  }

  #close(type: StreamedBlock["type"], id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#open.get(`${type} ${id}`);
    if (block !== undefined) block.metadata = mergeMetadata(block.metadata, metadata);
    this.#open.delete(`${type} ${id}`);
  }

  #call(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): ToolCallPart {
    return {
      type: "tool-call",
      callId: this.#newCallId(part.toolCallId),
      tool: part.toolName,
      ...argsIn(part.input),
      ...plainMetadata(part.providerMetadata),
    };
  }

  #parts(): AssistantPart[] {
    return this.#entries.flatMap((entry): AssistantPart[] => {
      if (entry.type === "tool-call") return [entry];
      const meta = plainMetadata(entry.metadata);
      // Reasoning without text is kept for its signature; providers refuse empty texts.
      const says = entry.text !== "" || (entry.type === "reasoning" && "meta" in meta);
      return says ? [{ type: entry.type, text: entry.text, ...meta }] : [];
    });
  }
}

/**
 * The arguments of a call as an object, or the raw text if it is not one. An empty text and `null` mean no arguments;
 * an object that some models encode twice is decoded.
 */
function argsIn(input: string): { args: JsonObject; invalidArgs?: string } {
  const value = input.trim() === "" ? null : parsed(input);
  if (value === null) return { args: {} };
  if (isObject(value)) return { args: value };
  const inner = typeof value === "string" ? parsed(value) : undefined;
  if (isObject(inner)) return { args: inner };
  return { args: {}, invalidArgs: typeof value === "string" ? value : input };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Some servers send `stop` despite tool calls, so the calls decide. */
function stopReason(finish: LanguageModelV4FinishReason["unified"] | undefined, parts: AssistantPart[]): StopReason {
  if (finish === "length") return "length";
  if (parts.some((part) => part.type === "tool-call")) return "tool-calls";
  return finish === "content-filter" ? "refusal" : "stop";
}

function toUsage(usage: LanguageModelV4Usage | undefined): Usage {
  return {
    input: usage?.inputTokens.total ?? 0,
    output: usage?.outputTokens.total ?? 0,
    cacheRead: usage?.inputTokens.cacheRead ?? 0,
    cacheWrite: usage?.inputTokens.cacheWrite ?? 0,
    reasoning: usage?.outputTokens.reasoning ?? 0,
  };
}

function mergeMetadata(
  old: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (old === undefined || more === undefined) return more ?? old;
  const result = { ...old };
  for (const [provider, fields] of Object.entries(more)) result[provider] = { ...result[provider], ...fields };
  return result;
}

/** Provider metadata as plain JSON, for storage. */
function plainMetadata(metadata: SharedV4ProviderMetadata | undefined): { meta?: ProviderMeta } {
  if (metadata === undefined) return {};
  const meta: ProviderMeta = JSON.parse(JSON.stringify(metadata));
  return { meta };
}
