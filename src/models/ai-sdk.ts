import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4Message,
  type LanguageModelV4ToolChoice,
  TypeValidationError,
} from "@ai-sdk/provider";
import { lazy } from "../lib/lazy.ts";
import type { AnswerFormat } from "./answer-format.ts";
import { type Failure, toModelError } from "./error.ts";
import type { InputKind } from "./input-kinds.ts";
import type { Message, ModelError } from "./message.ts";
import type { Model, ModelEvent, ModelRequest, SystemPrompt, ToolChoice, ToolSchema } from "./model.ts";
import { type PromptTarget, toPrompt, usedCallIds } from "./prompt.ts";
import { ReplyBuilder } from "./reply.ts";

/** A model of a provider package of the AI SDK, and how a request is mapped to it. */
export interface WireModel extends PromptTarget {
  contextWindow: number;
  maxOutputTokens: number;
  /** The address of requests, for error messages. */
  baseUrl: string;
  /** Whether the package can ask for JSON without adding a tool of its own. */
  takesFormat: boolean;
  /** Opens the model of the package, whose code is evaluated with the first request. */
  language(): Promise<LanguageModelV4>;
  /** Adds the layers of the system prompt to the conversation. */
  arrange(system: SystemPrompt, conversation: LanguageModelV4Message[]): LanguageModelV4Message[];
  /** The rest of the request: thinking, limits, caching. */
  settings(
    request: ModelRequest,
  ): Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;
}

/** A model on the AI SDK's provider contract: one `doStream` per call, without retries. */
export function aiSdkModel(wire: WireModel): Model {
  const language = lazy(() => wire.language());
  return {
    ref: wire.ref,
    contextWindow: wire.contextWindow,
    maxOutputTokens: wire.maxOutputTokens,
    ...(wire.input !== undefined && { input: wire.input }),
    stream: (request, signal) => answer({ ...wire, language }, request, signal),
  };
}

async function* answer(wire: WireModel, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const connection = new AbortController();
  const reply = new ReplyBuilder(callIdMaker(request.messages));
  let failure: Failure | undefined;
  let reached = false;
  try {
    const parts = await open(wire, request, AbortSignal.any([signal, connection.signal]));
    reached = true;
    for await (const part of parts) {
      if (part.type === "error") failure = toFailure(part.error);
      if (failure !== undefined || signal.aborted) break;
      const event = reply.take(part);
      if (event !== undefined) yield event;
    }
  } catch (thrown) {
    failure = toFailure(thrown);
  } finally {
    connection.abort();
  }
  if (signal.aborted) yield { type: "end", reply: reply.broken("aborted") };
  else if (failure === undefined && isWhole(reply)) yield { type: "end", reply: reply.whole() };
  else {
    const error = toModelError(failure ?? BROKEN_OFF);
    const message = withAddress(error, wire.baseUrl, reached || failure?.headers !== undefined);
    yield { type: "end", reply: { ...reply.broken("error"), error: { ...error, message } } };
  }
}

const BROKEN_OFF: Failure = { message: "The answer's stream ended without a finish." };

/** Adds the address to an error that a wrong address may have caused. */
function withAddress({ message, status, kind }: ModelError, baseUrl: string, reached: boolean): string {
  if (status === 404) return `${message} (asked at ${baseUrl})`;
  return !reached && kind === "timeout" ? `Could not reach ${baseUrl}: ${message}` : message;
}

function isWhole(reply: ReplyBuilder): boolean {
  return reply.finish !== undefined && reply.finish !== "error" && reply.finish !== "interrupted";
}

async function open(wire: WireModel, request: ModelRequest, abortSignal: AbortSignal) {
  const conversation = await toPrompt(request, wire);
  const language = await wire.language();
  const { stream } = await language.doStream({
    prompt: wire.arrange(request.system, conversation),
    ...(request.tools.length > 0 && { tools: request.tools.map(functionTool) }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && { topP: request.topP }),
    ...(request.toolChoice !== undefined && { toolChoice: sdkToolChoice(request.toolChoice) }),
    ...(request.format !== undefined && wire.takesFormat && { responseFormat: sdkFormat(request.format) }),
    ...wire.settings(request),
    abortSignal,
  });
  return stream;
}

function sdkToolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return choice === "required" ? { type: "required" } : { type: "tool", toolName: choice.tool };
}

function sdkFormat({
  name,
  description,
  schema,
}: AnswerFormat): NonNullable<LanguageModelV4CallOptions["responseFormat"]> {
  return {
    type: "json",
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(schema !== undefined && { schema }),
  };
}

function functionTool({ name, description, parameters }: ToolSchema): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: parameters };
}

/**
 * Keeps a provider's call id if it is new to the transcript. Servers that send none, or restart their numbering with
 * every answer, get a generated one, which is unique because it is derived from the answered message.
 */
function callIdMaker(messages: Message[]): (given: string) => string {
  const used = usedCallIds(messages);
  const answered = messages.at(-1)?.id.replace(/^msg_/, "") ?? "";
  return (given) => {
    let id = given;
    for (let n = 1; id === "" || used.has(id); n++) id = `call_${answered}_${n}`;
    used.add(id);
    return id;
  };
}

/** The failure that the AI SDK or the network threw or put into the stream. */
function toFailure(thrown: unknown): Failure {
  if (APICallError.isInstance(thrown)) {
    const { statusCode = 0, responseBody: body, responseHeaders: headers } = thrown;
    // If a connection breaks during the answer, the error has the status of the answer's start.
    return { message: errorReason(thrown), status: statusCode >= 400 ? statusCode : undefined, body, headers };
  }
  // An invalid chunk is often a server's own error format.
  if (TypeValidationError.isInstance(thrown)) return { message: STRANGE_CHUNK, body: JSON.stringify(thrown.value) };
  if (thrown instanceof Error) return { message: errorReason(thrown) };
  return { message: typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown) };
}

const STRANGE_CHUNK = "The model's server sent something that is not in its wire format.";

/** The client library wraps network errors; the cause has the message. */
function errorReason(error: Error): string {
  return (error.cause instanceof Error && error.cause.message) || error.message;
}

/** What every wire format needs to create a model. */
export interface WireOptions {
  /** `provider/model`, as configured. */
  ref: string;
  /** The model's name at its provider. */
  modelId: string;
  /** The base of the format's paths, with the version: `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Absent if the server needs none. */
  apiKey?: string | undefined;
  /** Sent with every request. */
  headers: Record<string, string>;
  contextWindow: number;
  maxOutputTokens: number;
  /** Whether `maxOutputTokens` was configured; if not, it is left out where the server has its own limit. */
  limitsOutput: boolean;
  /** What the model takes besides text; undefined if unknown. */
  input?: readonly InputKind[] | undefined;
  /** Whether the model can think; undefined leaves that to the format's knowledge of the model. */
  reasoning?: boolean | undefined;
  fetch: typeof fetch;
}

/** A wire format: creates a model from its address and limits. */
export type WireFormat = (options: WireOptions) => Model;

/** The output limit to send: the requested one, at most the model's. */
export function outputLimit(options: WireOptions, asked: number | undefined): number {
  return Math.min(asked ?? options.maxOutputTokens, options.maxOutputTokens);
}

/** The key for servers that need none: without one the AI SDK would read one from the environment. */
export const NO_KEY = "none";
