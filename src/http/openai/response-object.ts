import type { RunError } from "../../agent/run-error.ts";
import type { StopReason, Usage } from "../../models/message.ts";
import type { RunView } from "../../session-store/run-views.ts";
import { modelOf } from "./models.ts";
import type { OutputItem, ResponseObject, ResponsesRequest, ResponseUsage } from "./responses-schema.ts";
import type { Ending } from "./telling.ts";

/** What a response says of itself from its beginning to its end. */
export type ResponseFrame = Omit<ResponseObject, "status" | "error" | "incomplete_details" | "output" | "usage">;

/** A run as far as a response is made of it. */
export interface ResponseRun {
  runId: string;
  agentId: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}

/** What a response of a run says of itself; without its request, which is not kept, as if nothing had been asked. */
export function responseFrame(run: ResponseRun, request?: ResponsesRequest): ResponseFrame {
  return {
    id: responseId(run.runId),
    object: "response",
    created_at: Math.floor(run.acceptedAt / 1000),
    background: request?.background ?? false,
    instructions: request?.instructions ?? null,
    metadata: request?.metadata ?? {},
    model: modelOf(run.agentId),
    parallel_tool_calls: true,
    previous_response_id: request?.previous_response_id ?? null,
    store: request?.store ?? true,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
  };
}

/** A response that is not over. */
export function openResponse(frame: ResponseFrame, status: "queued" | "in_progress", output: OutputItem[] = []) {
  return { ...frame, status, error: null, incomplete_details: null, output, usage: null } satisfies ResponseObject;
}

/** A response that is over; `stop` is why the model's last message ended. */
export function endedResponse(
  frame: ResponseFrame,
  ending: Ending,
  { output, stop }: { output: OutputItem[]; stop: StopReason },
): ResponseObject {
  const usage = responseUsage(ending.usage);
  const ended = { ...frame, output, usage, error: null, incomplete_details: null };
  if (ending.kind === "failed") {
    const isStopped = ending.error.code === "aborted" || ending.error.code === "cancelled";
    return { ...ended, status: isStopped ? "cancelled" : "failed", error: responseError(ending.error) };
  }
  if (ending.kind === "done" && stop === "length") {
    return { ...ended, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  }
  if (ending.kind === "done" && stop === "refusal") {
    return { ...ended, status: "incomplete", incomplete_details: { reason: "content_filter" } };
  }
  return { ...ended, status: "completed" };
}

/** How a run that is not over stands, as a response does; undefined where it is over or waits for a person. */
export function openStatusOf({ status }: RunView): "queued" | "in_progress" | undefined {
  if (status === "queued") return status;
  return status === "running" ? "in_progress" : undefined;
}

/** The id of a run's response. */
export function responseId(runId: string): string {
  return `resp_${runId.slice("run_".length)}`;
}

/** The run of a response. What is no response's id is no run's id either. */
export function runIdOfResponse(id: string): string {
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

function responseError({ code, message }: RunError): ResponseObject["error"] {
  return { code: code === "budget" ? "rate_limit_exceeded" : "server_error", message };
}
