import type { JsonObject } from "../lib/json.ts";
import type { AssistantMessage, ToolMessage, Usage, UserMessage } from "../models/message.ts";
import type { RunError } from "./run-error.ts";

/**
 * What happens in a run, in order. `seq` grows through the whole session and is never used twice, so a reader that
 * remembers the last one it saw can go on from there, over any reconnect.
 */
export type AgentEvent = EventHead & EventBody;

export interface EventHead {
  runId: string;
  seq: number;
  /** Milliseconds since the epoch. */
  ts: number;
}

export type EventBody = LifecycleEvent | AssistantEvent | ToolEvent | CompactionEvent | QueueEvent | ApprovalEvent;

/** Begins and ends a run. Exactly one `end` or `error`, always last. */
export type LifecycleEvent =
  | { type: "lifecycle"; phase: "start"; input: UserMessage }
  | { type: "lifecycle"; phase: "end"; usage: Usage }
  | { type: "lifecycle"; phase: "error"; error: RunError };

/**
 * What the model says. Deltas are live only: after `message` it holds what they said, and after `restart` everything
 * since the last `message` is void because the call was asked again.
 */
export type AssistantEvent =
  | { type: "assistant"; phase: "delta"; text: string }
  | { type: "assistant"; phase: "delta"; reasoning: string }
  | { type: "assistant"; phase: "restart"; attempt: number }
  | { type: "assistant"; phase: "message"; message: AssistantMessage };

/** A tool call from launch to result; `update` is live only. */
export type ToolEvent =
  | { type: "tool"; phase: "start"; callId: string; tool: string; args: JsonObject }
  | { type: "tool"; phase: "update"; callId: string; tool: string; text: string }
  | { type: "tool"; phase: "end"; message: ToolMessage };

/**
 * What happens to a message that comes while a run is at work: it waits, or it joins (`joined` on its own stream, as
 * the last event there; `joining` on the stream of the run that it joins), or it is dropped (the last event, too).
 */
export type QueueEvent =
  | { type: "queue"; phase: "waiting"; ahead: number }
  | { type: "queue"; phase: "joining"; input: UserMessage }
  | { type: "queue"; phase: "joined"; intoRunId: string }
  | { type: "queue"; phase: "dropped"; reason: string };

/** The older part of the conversation is being summarized, was, or could not be. Sizes are estimated tokens. */
export type CompactionEvent =
  | { type: "compaction"; phase: "start"; reason: CompactionReason; tokensBefore: number }
  | { type: "compaction"; phase: "end"; reason: CompactionReason; tokensBefore: number; tokensAfter: number }
  | { type: "compaction"; phase: "error"; reason: CompactionReason; message: string };

/** Why: the next request would not fit, a provider said that one did not, or a person asked for it. */
export type CompactionReason = "threshold" | "overflow" | "command";

/** A tool call that waits for a person's word, and that word. */
export type ApprovalEvent =
  | {
      type: "approval";
      phase: "requested";
      approvalId: string;
      callId: string;
      tool: string;
      args: JsonObject;
      question: string;
    }
  | { type: "approval"; phase: "decided"; approvalId: string; decision: "allow-once" | "allow-always" | "deny" };

/** Whether nothing comes after this event in the stream of its run. */
export function isLast(event: EventBody): boolean {
  if (event.type === "lifecycle") return event.phase !== "start";
  return event.type === "queue" && (event.phase === "joined" || event.phase === "dropped");
}

/** The events that are gone once the message that they led to is there. */
export function isEphemeral(body: EventBody): boolean {
  return body.type === "assistant" ? body.phase === "delta" : body.type === "tool" && body.phase === "update";
}
