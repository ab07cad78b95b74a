import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4Message,
  TypeValidationError,
} from "@ai-sdk/provider";
import { type Failure, toModelError } from "./error.ts";
import type { Message, ModelError } from "./message.ts";
import type { Model, ModelEvent, ModelRequest, SystemPrompt, ToolSchema } from "./model.ts";
import { callIdsOf, type PromptTarget, toPrompt } from "./prompt.ts";
import { ReplyBuilder } from "./reply.ts";

/** A wire format as a provider package of the AI SDK speaks it, and what of our request goes where in it. */
export interface Wire extends PromptTarget {
  contextWindow: number;
  maxOutputTokens: number;
  /** Where requests go, for whoever has to find out why they do not arrive. */
  baseUrl: string;
  language: LanguageModelV4;
  /** Puts the system prompt's layers to the conversation, where the format wants them. */
  arrange(system: SystemPrompt, conversation: LanguageModelV4Message[]): LanguageModelV4Message[];
  /** The rest of the request: thinking, limits, caching. */
  settings(
    request: ModelRequest,
  ): Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;
}

/** A model behind the AI SDK's provider contract, driven directly: one `doStream` a call, without retries. */
export function aiSdkModel(wire: Wire): Model {
  return {
    ref: wire.ref,
    contextWindow: wire.contextWindow,
    maxOutputTokens: wire.maxOutputTokens,
    stream: (request, signal) => answer(wire, request, signal),
  };
}

async function* answer(wire: Wire, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const hangUp = new AbortController();
  const reply = new ReplyBuilder(callIdMaker(request.messages));
  let failure: Failure | undefined;
  let reached = false;
  try {
    const parts = await open(wire, request, AbortSignal.any([signal, hangUp.signal]));
    reached = true;
    for await (const part of parts) {
      if (part.type === "error") failure = failureOf(part.error);
      if (failure !== undefined || signal.aborted) break;
      const event = reply.take(part);
      if (event !== undefined) yield event;
    }
  } catch (thrown) {
    failure = failureOf(thrown);
  } finally {
    hangUp.abort();
  }
  if (signal.aborted) yield { type: "end", reply: reply.broken("aborted") };
  else if (failure === undefined && isWhole(reply)) yield { type: "end", reply: reply.whole() };
  else {
    const error = toModelError(failure ?? BROKEN_OFF);
    const message = withPlace(error, wire.baseUrl, reached || failure?.headers !== undefined);
    yield { type: "end", reply: { ...reply.broken("error"), error: { ...error, message } } };
  }
}

const BROKEN_OFF: Failure = { message: "The answer's stream ended without a finish." };

/** Names the address where it may be what is wrong. */
function withPlace({ message, status, kind }: ModelError, baseUrl: string, reached: boolean): string {
  if (status === 404) return `${message} (asked at ${baseUrl})`;
  return !reached && kind === "timeout" ? `Could not reach ${baseUrl}: ${message}` : message;
}

function isWhole(reply: ReplyBuilder): boolean {
  return reply.finish !== undefined && reply.finish !== "error" && reply.finish !== "interrupted";
}

async function open(wire: Wire, request: ModelRequest, abortSignal: AbortSignal) {
  const conversation = await toPrompt(request, wire);
  const { stream } = await wire.language.doStream({
    prompt: wire.arrange(request.system, conversation),
    ...(request.tools.length > 0 && { tools: request.tools.map(functionTool) }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && { topP: request.topP }),
    ...wire.settings(request),
    abortSignal,
  });
  return stream;
}

function functionTool({ name, description, parameters }: ToolSchema): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: parameters };
}

/**
 * Keeps the provider's id of a call where it is new to the transcript. Servers that give none, or number their calls
 * anew in every answer, get one of ours, which is unique because it is made from the message that is being answered.
 */
function callIdMaker(messages: Message[]): (given: string) => string {
  const used = callIdsOf(messages);
  const answered = messages.at(-1)?.id.replace(/^msg_/, "") ?? "";
  return (given) => {
    let id = given;
    for (let n = 1; id === "" || used.has(id); n++) id = `call_${answered}_${n}`;
    used.add(id);
    return id;
  };
}

/** What the AI SDK, or the network below it, threw or put into a stream as an error. */
function failureOf(thrown: unknown): Failure {
  if (APICallError.isInstance(thrown)) {
    const { statusCode = 0, responseBody: body, responseHeaders: headers } = thrown;
    // A connection that breaks later is reported with the status that the answer began with.
    return { message: reasonOf(thrown), status: statusCode >= 400 ? statusCode : undefined, body, headers };
  }
  // A chunk that is not in the format is often a server's own way to say what went wrong.
  if (TypeValidationError.isInstance(thrown)) return { message: STRANGE_CHUNK, body: JSON.stringify(thrown.value) };
  if (thrown instanceof Error) return { message: reasonOf(thrown) };
  return { message: typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown) };
}

const STRANGE_CHUNK = "The model's server sent something that is not in its wire format.";

/** The client library wraps what the network said; that is the reason. */
function reasonOf(error: Error): string {
  return (error.cause instanceof Error && error.cause.message) || error.message;
}

/** What every wire format needs to make a model. */
export interface WireOptions {
  /** `provider/model`, as configured. */
  ref: string;
  /** The model's name at its provider. */
  modelId: string;
  /** Where the format's paths begin, with the version: `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Absent where the server wants none. */
  apiKey?: string | undefined;
  /** Sent with every request. */
  headers: Record<string, string>;
  contextWindow: number;
  maxOutputTokens: number;
  /** Whether `maxOutputTokens` was configured, and so is to be said even to servers that know better. */
  limitsOutput: boolean;
  /** Whether the model thinks; undefined leaves it to what the format knows of the model. */
  reasoning?: boolean | undefined;
  fetch: typeof fetch;
}

/** One wire format: a function from where a model is to the model. */
export type WireFormat = (options: WireOptions) => Model;

/** The output limit to send: what the request asks for, never more than the model's. */
export function outputLimit(options: WireOptions, asked: number | undefined): number {
  return Math.min(asked ?? options.maxOutputTokens, options.maxOutputTokens);
}

/** Sent as the key to servers that want none: without one the AI SDK would look for one in the environment. */
export const NO_KEY = "none";
