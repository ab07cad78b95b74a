import type { RunError } from "../../agent/run-error.ts";
import type { StopReason, ToolCallPart, Usage } from "../../models/message.ts";
import type { RunView } from "../../session-store/run-views.ts";
import { modelId } from "./models.ts";
import type {
  OutputCall,
  OutputClientCall,
  OutputItem,
  ResponseObject,
  ResponsesRequest,
  ResponseUsage,
} from "./responses-schema.ts";
import type { FinalUpdate, RunUpdate } from "./run-updates.ts";

/** The fields of a response that stay the same from its start to its end. */
export type ResponseFrame = Omit<ResponseObject, "status" | "error" | "incomplete_details" | "output" | "usage">;

/** The fields of a run that its response has. */
export interface ResponseRun {
  runId: string;
  agentId: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}

/** The constant fields of a run's response. Requests are not stored: without one, its fields have their defaults. */
export function responseFrame(run: ResponseRun, request?: ResponsesRequest): ResponseFrame {
  return {
    id: responseId(run.runId),
    object: "response",
    created_at: Math.floor(run.acceptedAt / 1000),
    background: request?.background ?? false,
    instructions: request?.instructions ?? null,
    metadata: request?.metadata ?? {},
    model: modelId(run.agentId),
    parallel_tool_calls: true,
    previous_response_id: request?.previous_response_id ?? null,
    store: request?.store ?? true,
    temperature: null,
    text: { format: shownFormat(request?.text?.format) },
    tool_choice: shownChoice(request?.tool_choice),
    tools: (request?.tools ?? []).map(({ name, description = null, parameters = null, strict = null }) => {
      return { type: "function", name, description, parameters, strict };
    }),
    top_p: null,
    truncation: "disabled",
  };
}

function shownChoice(choice: ResponsesRequest["tool_choice"]): ResponseObject["tool_choice"] {
  if (typeof choice === "object" && choice !== null) return { type: "function", name: choice.tool };
  return choice ?? "auto";
}

function shownFormat(format: NonNullable<ResponsesRequest["text"]>["format"]): ResponseObject["text"]["format"] {
  if (!format || format.type === "text") return { type: "text" };
  if (format.type === "json_object") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  const more = description ? { description } : {};
  return { type: "json_schema", name, ...more, schema: schema ?? {}, strict: strict ?? null };
}

/** A response that has not ended. */
export function openResponse(frame: ResponseFrame, status: "queued" | "in_progress", output: OutputItem[] = []) {
  return { ...frame, status, error: null, incomplete_details: null, output, usage: null } satisfies ResponseObject;
}

/** A response that has ended; `stop` is why the model's last message ended. */
export function endedResponse(
  frame: ResponseFrame,
  final: FinalUpdate,
  { output, stop }: { output: OutputItem[]; stop: StopReason },
): ResponseObject {
  const usage = responseUsage(final.usage);
  const ended = { ...frame, output, usage, error: null, incomplete_details: null };
  if (final.kind === "failed") {
    const isStopped = final.error.code === "aborted" || final.error.code === "cancelled";
    return { ...ended, status: isStopped ? "cancelled" : "failed", error: responseError(final.error) };
  }
  if (final.kind === "done" && stop === "length") {
    return { ...ended, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  }
  if (final.kind === "done" && stop === "refusal") {
    return { ...ended, status: "incomplete", incomplete_details: { reason: "content_filter" } };
  }
  return { ...ended, status: "completed" };
}

/** A run's status as a response has it; undefined where the run has ended or waits for an approval. */
export function openStatus({ status }: RunView): "queued" | "in_progress" | undefined {
  if (status === "queued") return status;
  return status === "running" ? "in_progress" : undefined;
}

/** The id of a run's response. */
export function responseId(runId: string): string {
  return `resp_${runId.slice("run_".length)}`;
}

/** The run of a response; empty, which is no run's id, for any other text. */
export function responseRunId(id: string): string {
  return id.startsWith("resp_") ? `run_${id.slice("resp_".length)}` : "";
}

function responseUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function responseError({ code, message, refusal }: RunError): ResponseObject["error"] {
  return {
    code: code === "budget" || refusal?.kind === "rate_limit" ? "rate_limit_exceeded" : "server_error",
    message,
  };
}

/** The output items that contain text. */
export type TextItemKind = "message" | "reasoning";

/** For each kind of text item: its id's prefix, its events' names, and the index of its text in events. */
export const TEXT_ITEMS = {
  message: {
    idPrefix: "msg",
    partEvent: "response.content_part",
    textEvent: "response.output_text",
    index: { content_index: 0 },
    extra: { logprobs: [] },
  },
  reasoning: {
    idPrefix: "rs",
    partEvent: "response.reasoning_summary_part",
    textEvent: "response.reasoning_summary_text",
    index: { summary_index: 0 },
    extra: {},
  },
} as const;

/** The part of a text item that holds the text. */
export function textPart(kind: TextItemKind, text: string) {
  return kind === "message"
    ? { type: "output_text" as const, text, annotations: [], logprobs: [] }
    : { type: "summary_text" as const, text };
}

/** A text item; it has no text when it starts. */
export function textItem(
  kind: TextItemKind,
  id: string,
  status: "in_progress" | "completed" | "incomplete",
  text?: string,
): OutputItem {
  const texts = text === undefined ? [] : [text];
  if (kind === "reasoning") {
    return { type: kind, id, status, summary: texts.map((one) => ({ type: "summary_text", text: one })) };
  }
  const content = texts.map((one) => ({ type: "output_text" as const, text: one, annotations: [], logprobs: [] }));
  return { type: kind, id, role: "assistant", status, content };
}

/** A call of a tool of the client's. */
export function clientCallItem(id: string, { callId, tool, args }: ToolCallPart): OutputClientCall {
  const status = "completed";
  return { type: "function_call", id, call_id: callId, name: tool, arguments: JSON.stringify(args), status };
}

/** A tool call of the agent's own when it starts: an `mcp_call`, which no client tries to run. */
export function callItem(id: string, name: string, args: string): OutputCall {
  const none = { output: null, error: null };
  return { type: "mcp_call", id, server_label: "isopod", name, arguments: args, ...none, status: "in_progress" };
}

/** A tool call that has ended. */
export function endedCall(call: OutputCall, { text, isError }: Extract<RunUpdate, { kind: "result" }>): OutputCall {
  return isError
    ? { ...call, status: "failed", error: { type: "mcp_tool_execution_error", content: text } }
    : { ...call, status: "completed", output: text };
}
