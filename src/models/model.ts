import type { JsonObject } from "../lib/json.ts";
import type { AssistantPart, Message, ModelError, StopReason, Usage } from "./message.ts";
import type { Price } from "./price.ts";

/**
 * A language model behind one wire format.
 *
 * Contract, which `test/contracts/model.ts` runs over every member:
 * - `stream` never throws and never rejects, neither when called nor while iterated: every failure, our own hang-up
 *   included, is an `end` whose stop is `error` or `aborted`.
 * - It yields deltas (none of them empty) in the order in which the provider produced them, then exactly one `end`, then
 *   nothing.
 * - The parts of `end` are the deltas put together; a text that was streamed is never missing from them.
 * - Aborting `signal` ends the iteration promptly and closes the connection. So does leaving the loop early.
 * - It does not retry: whether to ask again is the caller's decision, who knows what was already said.
 * - It may be called many times, also at once; it keeps no state between calls.
 */
export interface Model {
  /** `provider/model`, as configured. */
  readonly ref: string;
  /** Tokens that input and output share. */
  readonly contextWindow: number;
  /** Most tokens that one answer may have. */
  readonly maxOutputTokens: number;
  /** What its tokens cost; absent where nobody has said. */
  readonly price?: Price;
  /** True where it has no place of its own for its thoughts and has to be asked for tags around them. */
  readonly tagsThoughts?: boolean;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Whether a model that thinks so much is asked to put its thoughts, and what people are to see, into tags. */
export function tagsThoughts(model: Pick<Model, "tagsThoughts">, thinking: ThinkingLevel): boolean {
  return model.tagsThoughts === true && thinking !== "off";
}

/** Everything that one call sends. */
export interface ModelRequest {
  system: SystemPrompt;
  messages: Message[];
  tools: ToolSchema[];
  thinking: ThinkingLevel;
  /** Below the model's own limit where given. */
  maxOutputTokens?: number;
  /** How freely it chooses its words, and among which share of the likeliest; the provider's own where absent. */
  temperature?: number;
  topP?: number;
  /** Groups requests that share a prefix, for providers that route by such a key: at most 64 characters, of nobody's id. */
  cacheKey?: string;
  /** Bytes of an image of the transcript; undefined where it is gone. */
  loadImage(path: string): Promise<Uint8Array | undefined>;
}

/** A system prompt in its two layers: `stable` is byte-identical from turn to turn, `dynamic` is not. */
export interface SystemPrompt {
  stable: string;
  dynamic: string;
}

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high";

/** A tool as a model sees it; `parameters` is a JSON Schema of an object. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: JsonObject;
}

/**
 * `progress` says only that the model is at work on what is not shown as it comes, such as a call's arguments: whoever
 * waits for a silent model starts counting anew.
 */
export type ModelEvent =
  | { type: "text"; delta: string }
  | { type: "reasoning"; delta: string }
  | { type: "progress" }
  | { type: "end"; reply: ModelReply };

/** The whole answer. */
export interface ModelReply {
  parts: AssistantPart[];
  stop: StopReason;
  usage: Usage;
  error?: ModelError;
}

/** Makes the model of a reference, or says why it cannot. */
export interface ModelResolver {
  /**
   * @param ref `provider/model`
   * @param profile the profile whose key is used; the provider's first that has one where absent, else its own key
   * @throws IsopodError `not_configured` with what to set
   */
  resolve(ref: string, profile?: string): Model;
}
