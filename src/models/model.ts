import type { JsonObject } from "../lib/json.ts";
import type { AnswerFormat } from "./answer-format.ts";
import type { InputKind } from "./input-kinds.ts";
import type { AssistantPart, Message, ModelError, StopReason, Usage } from "./message.ts";
import type { Price } from "./price.ts";

/**
 * A language model behind one wire format.
 *
 * Contract, which `test/contracts/model.ts` runs with every model:
 * - `stream` never throws and never rejects, neither when called nor during iteration: every failure, also an abort, is
 *   an `end` whose stop is `error` or `aborted`.
 * - It yields deltas (none of them empty) in the provider's order, then exactly one `end`, then nothing.
 * - The parts of `end` are the deltas joined; streamed text is never missing from them.
 * - Aborting `signal` ends the iteration promptly and closes the connection. So does leaving the loop early.
 * - It does not retry: only the caller knows what was already shown.
 * - It may be called repeatedly and concurrently; it keeps no state between calls.
 */
export interface Model {
  /** `provider/model`, as configured. */
  readonly ref: string;
  /** The tokens that input and output share. */
  readonly contextWindow: number;
  /** The most tokens of one answer. */
  readonly maxOutputTokens: number;
  /** What it takes besides text; absent if unknown: then it is sent images, and nothing else. */
  readonly input?: readonly InputKind[];
  /** The price of its tokens; absent if unknown. */
  readonly price?: Price;
  /** True if it has no separate field for reasoning and is asked to use tags. */
  readonly tagsReasoning?: boolean;
  /** True if it asks nobody, so that its answers cost no tokens. */
  readonly isFree?: boolean;
  /** Where and with which key it is asked; absent if it asks nobody. */
  readonly access?: ModelAccess;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Where a model is asked, and with which key. */
export interface ModelAccess {
  baseUrl: string;
  /** The variable that its key is looked for in; absent if none is named. */
  keyName?: string;
  /** Whether requests carry a key, or a header that stands for one. */
  isKeySent: boolean;
}

/** Whether a model at this thinking level is asked to put reasoning and visible text into tags. */
export function tagsReasoning(model: Pick<Model, "tagsReasoning">, thinking: ThinkingLevel): boolean {
  return model.tagsReasoning === true && thinking !== "off";
}

/** Everything that one call sends. */
export interface ModelRequest {
  system: SystemPrompt;
  messages: Message[];
  tools: ToolSchema[];
  thinking: ThinkingLevel;
  /** Lowers the model's own limit. */
  maxOutputTokens?: number;
  /** Sampling parameters; the provider's defaults if absent. */
  temperature?: number;
  topP?: number;
  /** Which tools must be called; the model decides if absent. */
  toolChoice?: ToolChoice;
  /** The form of JSON that the text must have; wire formats without such a field leave it out. */
  format?: AnswerFormat;
  /**
   * Groups requests that share a prefix, for providers that route by such a key: at most 64 characters, not an id of a
   * person.
   */
  cacheKey?: string;
  /** The bytes of an image, a PDF or a recording of the transcript; undefined if it was deleted. */
  loadFile(path: string): Promise<Uint8Array | undefined>;
}

/** A tool must be called: any, or this one. */
export type ToolChoice = "required" | { tool: string };

/** A system prompt in two layers: `stable` is byte-identical from turn to turn, `dynamic` is not. */
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

/** `progress` means output that is not streamed, such as a call's arguments: it resets the silence timer. */
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

/** Creates the model of a reference. */
export interface ModelResolver {
  /**
   * @param ref `provider/model`
   * @param profile the profile whose key is used; if absent, the provider's first one with a key, else its own key
   * @throws IsopodError `not_configured` with what to set
   */
  resolve(ref: string, profile?: string): Model;
}
