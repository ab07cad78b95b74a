import type { Json, JsonObject } from "../lib/json.ts";

/** One entry of a transcript: the unit that is stored, shown to a model, and exported. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

interface MessageHead {
  /** `msg_…`. */
  id: string;
  /** When it was stored, in milliseconds since the epoch. */
  at: number;
  /** A command or its answer: shown to people, never to a model. */
  aside?: true;
  /** Part of a silent turn before a compaction: shown to the model while that lasts, never to people. */
  inner?: true;
}

/** What a person (or the system on somebody's behalf) said to the agent. */
export interface UserMessage extends MessageHead {
  role: "user";
  text: string;
  images?: ImageRef[];
  /** Who spoke, where the channel knows it. */
  sender?: { id: string; name?: string; owner: boolean };
  /** The run that brought it, where it joined another one at work. */
  fromRunId?: string;
  /** Where in the text something begins that an owner has typed like a command: it may call on a skill. */
  commandAt?: number;
  /** The id of such a message, where this is what the system adds to it: models see it for good, people never do. */
  addedTo?: string;
  /** Set there where a tool is called in place of a model. */
  dispatch?: { tool: string; args: JsonObject };
}

/** What a model answered in one call: its parts in the order in which they were produced. */
export interface AssistantMessage extends MessageHead {
  role: "assistant";
  parts: AssistantPart[];
  stop: StopReason;
  usage: Usage;
  /** `provider/model` that answered. */
  model: string;
  /** What it asks for with tags in its text; absent where it has none. */
  directives?: Directives;
  error?: ModelError;
}

/** What a reply asks for beside its text, where the channel can do it. */
export interface Directives {
  /** The message that it answers natively: the one that began the turn, or another by the channel's id. */
  replyTo?: "current" | { id: string };
  /** Files to send with it, as they were named; each once. */
  files?: string[];
  /** Whether sound files are to be sent as voice notes. */
  asVoice?: true;
}

/** The one result of one tool call. */
export interface ToolMessage extends MessageHead {
  role: "tool";
  callId: string;
  tool: string;
  text: string;
  images?: ImageRef[];
  isError: boolean;
  /** Set where `text` is a preview of something larger. */
  spill?: SpillRef;
}

/** A text that is too large for a transcript, by where the whole of it is. */
export interface SpillRef {
  /** `spl_…`, unique in its session. */
  id: string;
  /** Size of the whole in bytes of UTF-8. */
  bytes: number;
}

/** An image by where it is stored, never by its bytes: a row of the transcript stays small. */
export interface ImageRef {
  /** Path in the agent's workspace. */
  path: string;
  mediaType: string;
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export interface TextPart {
  type: "text";
  /** As it is read: without the tags in which the model thought, or asked for something. */
  text: string;
  /**
   * As its model wrote it, together with the parts that came of the same text, in which it is empty. Absent where that
   * had no tags.
   */
  raw?: string;
  meta?: ProviderMeta;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  /** Set where it stood between tags of a text, which has it in `raw`. */
  inline?: true;
  meta?: ProviderMeta;
}

/** A request to run a tool. `args` is the parsed object, or the raw text in `invalidArgs` where it was not one. */
export interface ToolCallPart {
  type: "tool-call";
  callId: string;
  tool: string;
  args: JsonObject;
  invalidArgs?: string;
  meta?: ProviderMeta;
}

/** What a provider wants back with the next request (signatures, item ids), keyed by provider; opaque to us. */
export type ProviderMeta = { [provider: string]: { [key: string]: Json } };

/**
 * Why a model stopped. `tool-calls` means that it waits for results; `error` comes with `error` filled;
 * `aborted` means that our side hung up.
 */
export type StopReason = "stop" | "length" | "tool-calls" | "refusal" | "error" | "aborted";

/** Tokens of one call, as the provider counted them; 0 where it said nothing. */
export interface Usage {
  input: number;
  output: number;
  /** The part of `input` that was read from the provider's cache. */
  cacheRead: number;
  /** The part of `input` that was written to the provider's cache. */
  cacheWrite: number;
  /** The part of `output` that was reasoning. */
  reasoning: number;
  /** What they are estimated to cost, in millionths of a US dollar; absent where nothing with a price has answered. */
  costMicros?: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** What went wrong in a model call, in the terms in which failover decides. */
export interface ModelError {
  kind: "overflow" | "overloaded" | "rate_limit" | "auth" | "billing" | "timeout" | "format" | "other";
  message: string;
  status?: number;
  /** From `Retry-After` or the provider's own field, in milliseconds. */
  retryAfterMs?: number;
}

/** Whether people are shown a message. */
export function isForPeople(message: Message): boolean {
  return !message.inner && (message.role !== "user" || message.addedTo === undefined);
}

/** The visible text of an assistant message. */
export function textOf(message: AssistantMessage): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** What a model thought before an assistant message, as far as its provider shows that. */
export function reasoningOf(message: AssistantMessage): string {
  return message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n\n");
}

/** The tool calls of an assistant message, in its order. */
export function callsOf(message: AssistantMessage): ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}

/** The sum of two calls' tokens and costs; each cost is of the model that answered that call. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    ...((a.costMicros ?? b.costMicros) !== undefined && { costMicros: (a.costMicros ?? 0) + (b.costMicros ?? 0) }),
  };
}
