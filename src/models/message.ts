import type { Json, JsonObject } from "../lib/json.ts";
import type { Label } from "../security/labels.ts";

/** One entry of a transcript: the unit that is stored, sent to a model, and exported. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

interface MessageHead {
  /** `msg_…`. */
  id: string;
  /** When it was stored, in milliseconds since the epoch. */
  at: number;
  /** A command or its answer: shown to people, never sent to a model. */
  aside?: true;
  /** Part of a memory flush: sent to the model during the flush, never shown to people. */
  inner?: true;
}

/** A message to the agent from a person, or from the system. */
export interface UserMessage extends MessageHead {
  role: "user";
  text: string;
  images?: ImageRef[];
  /** PDFs and recordings, for models that take them. */
  media?: MediaRef[];
  /** The author, if the channel knows it. */
  sender?: Sender;
  /** When, where and by whom it was said, as the model is shown it; absent for messages of the system. */
  said?: Said;
  /** The offset of the author's own words: what is before them was written by the system and is already fenced. */
  wordsAt?: number;
  /** Where words in it come from besides its author: a quoted message, a sub-agent's report. */
  labels?: readonly Label[];
  /** Set if some of it was said in a voice note. */
  isSpoken?: true;
  /** Set if it did not address the agent: how many such messages in a row models are shown, the last ones. */
  overheard?: number;
  /** Set if it has the message before it answered again: models do not see the answer that failed. */
  retries?: true;
  /** The run that brought the message, if it joined another one. */
  fromRunId?: string;
  /** The offset of a command that an owner typed; it may invoke a skill. */
  commandAt?: number;
  /** The id of the message that the system appends this one to: models see it permanently, people never do. */
  addedTo?: string;
  /** The tool that the command calls directly, without a model. */
  dispatch?: { tool: string; args: JsonObject };
}

/** The author of a message. */
export interface Sender {
  id: string;
  name?: string;
  owner: boolean;
  isBot?: true;
  /** Of the system: the person, as `channel:id`, whose turn it speaks for. */
  behalfOf?: string;
}

/** The circumstances of a person's message, stored when it was accepted and shown the same in every later turn. */
export interface Said {
  /** When it was accepted, in milliseconds since the epoch. */
  at: number;
  /** The IANA zone in which the time is shown. */
  zone: string;
  /** The kind of conversation. */
  place: "direct" | "group" | "channel";
  /** The author's id as models may see it: `telegram:3003`, or the hash of an owner's. */
  as: string;
  /** The platform's id of the message. */
  messageId?: string;
  /** Set if it is a new version of that message, or takes it back. */
  change?: "edited" | "deleted";
  /** The title of the group; its members can set it. */
  title?: string;
  /** Sixteen hex digits: the id of the fence around what is not an owner's. */
  fenceId?: string;
}

/** A model's answer to one call, its parts in order. */
export interface AssistantMessage extends MessageHead {
  role: "assistant";
  parts: AssistantPart[];
  stop: StopReason;
  usage: Usage;
  /** `provider/model` that answered. */
  model: string;
  /** Where words come from that counted when it was written: what it says may be theirs. */
  labels?: readonly Label[];
  /** The directives in its text; absent if there are none. */
  directives?: Directives;
  error?: ModelError;
  /**
   * Set on the last reply of a heartbeat that had nothing to say: the number of the event that began it. Models do not
   * see what lies between.
   */
  quietFrom?: number;
}

/** What a reply requests besides its text, if the channel supports it. */
export interface Directives {
  /** The message to reply to natively: the one that began the turn, or another by the channel's id. */
  replyTo?: "current" | { id: string };
  /** Files to attach, as named in the reply; each once. */
  files?: string[];
  /** Whether audio files are sent as voice notes. */
  asVoice?: true;
  /** How it is read aloud, if it is to be. */
  speech?: SpeechDirective;
}

/** The words to read aloud, those of the reply where absent; and the voice, the configured one where absent. */
export interface SpeechDirective {
  text?: string;
  voice?: string;
}

/** The result of one tool call. */
export interface ToolMessage extends MessageHead {
  role: "tool";
  callId: string;
  tool: string;
  text: string;
  images?: ImageRef[];
  /** Files that it has made for people: they are sent with the run's reply. */
  files?: MadeFile[];
  /** The pages that it shows, for people to open; models see `text` alone. */
  sources?: PageRef[];
  /** What the call cost in millionths of a US dollar, where a service tells; part of the run's usage. */
  costMicros?: number;
  isError: boolean;
  /** Where words in it come from that are not the owner's. */
  labels?: readonly Label[];
  /** Set if `text` is a preview of a larger text. */
  spill?: SpillRef;
}

/** A reference to a text that is too large for the transcript. */
export interface SpillRef {
  /** `spl_…`, unique in its session. */
  id: string;
  /** The size of the whole text in bytes of UTF-8. */
  bytes: number;
}

/** A page of the web. */
export interface PageRef {
  url: string;
  /** As the page or a search has it; empty if there is none. */
  title: string;
}

/** A reference to a stored image: the bytes are not part of the transcript. */
export interface ImageRef {
  /** The path in the agent's workspace. */
  path: string;
  mediaType: string;
}

/** A reference to a stored PDF or recording: the bytes are not part of the transcript. */
export interface MediaRef {
  /** The path in the agent's workspace. */
  path: string;
  mediaType: "application/pdf" | "audio/mpeg" | "audio/wav";
  /** The size of the file. */
  bytes: number;
  /** The number of a PDF's pages. */
  pages?: number;
  /** The length of a recording. */
  seconds?: number;
  /** Set if it is a voice note: what is said in it are the sender's own words. */
  isVoice?: true;
  /** Set in a view where models are no longer shown it. */
  isPruned?: true;
}

/** A file of the workspace that is sent to people. */
export interface MadeFile {
  path: string;
  /** Whether it is sent as a voice note. */
  asVoice?: true;
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export interface TextPart {
  type: "text";
  /** The visible text, without reasoning tags and directives. */
  text: string;
  /**
   * The text as the model wrote it, including the parts that were split from it, whose own `raw` is empty. Absent if it
   * had no tags.
   */
  raw?: string;
  meta?: ProviderMeta;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  /** Set if it was between tags of a text; that text part has it in `raw`. */
  inline?: true;
  meta?: ProviderMeta;
}

/** A tool call. `args` is the parsed object; `invalidArgs` has the raw text if it was none. */
export interface ToolCallPart {
  type: "tool-call";
  callId: string;
  tool: string;
  args: JsonObject;
  invalidArgs?: string;
  meta?: ProviderMeta;
}

/** Provider metadata to send back with the next request (signatures, item ids), keyed by provider. */
export type ProviderMeta = { [provider: string]: { [key: string]: Json } };

/**
 * Why a model stopped. With `tool-calls` it waits for results; with `error` there is an `error`; with `aborted` our
 * side closed the connection.
 */
export type StopReason = "stop" | "length" | "tool-calls" | "refusal" | "error" | "aborted";

/** The tokens of one call as the provider counted them; 0 if it did not say. */
export interface Usage {
  input: number;
  output: number;
  /** The part of `input` that was read from the provider's cache. */
  cacheRead: number;
  /** The part of `input` that was written to the provider's cache. */
  cacheWrite: number;
  /** The part of `output` that was reasoning. */
  reasoning: number;
  /** The estimated cost in millionths of a US dollar; absent if no price is known. */
  costMicros?: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** The error of a model call, in the kinds that failover decides by. */
export interface ModelError {
  kind: "overflow" | "overloaded" | "rate_limit" | "auth" | "billing" | "timeout" | "format" | "other";
  message: string;
  status?: number;
  /** From `Retry-After` or the provider's own field, in milliseconds. */
  retryAfterMs?: number;
  /** Whether asking again would change nothing. */
  isFinal?: true;
}

/** Whether a message is shown to people. */
export function isForPeople(message: Message): boolean {
  return !message.inner && (message.role !== "user" || message.addedTo === undefined);
}

/** The visible text of an assistant message. */
export function messageText(message: AssistantMessage): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** The reasoning of an assistant message, as far as the provider sends it. */
export function reasoningText(message: AssistantMessage): string {
  return message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n\n");
}

/** The tool calls of an assistant message, in order. */
export function toolCalls(message: AssistantMessage): ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}

/** The sum of two usages; costs were estimated with the price of the model that answered each. */
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
