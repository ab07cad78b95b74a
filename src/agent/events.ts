import type { JsonObject } from "../lib/json.ts";
import type { AssistantMessage, ToolMessage, Usage, UserMessage } from "../models/message.ts";
import type { RunError } from "./run-error.ts";
import type { GrantScope } from "./tool.ts";

/**
 * The events of a run, in order. `seq` grows through the whole session and is never reused, so a reader can resume
 * after the last one it received.
 */
export type AgentEvent = EventHead & EventBody;

export interface EventHead {
  runId: string;
  seq: number;
  /** Milliseconds since the epoch. */
  ts: number;
}

export type EventBody = LifecycleEvent | AssistantEvent | ToolEvent | CompactionEvent | QueueEvent | ApprovalEvent;

/** The start and the end of a run. There is exactly one `end` or `error`, always last. */
export type LifecycleEvent =
  | { type: "lifecycle"; phase: "start"; input: UserMessage }
  | { type: "lifecycle"; phase: "end"; usage: Usage }
  | { type: "lifecycle"; phase: "error"; error: RunError };

/**
 * The model's output. Deltas are live only: `message` contains their text, and `restart` invalidates everything since
 * the last `message`, because the call is made again.
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
 * What happens to a message that arrives during a run: it waits; it joins the run (`joined` ends its own stream,
 * `joining` is on the stream of the run); or it is dropped, which ends its stream.
 */
export type QueueEvent =
  | { type: "queue"; phase: "waiting"; ahead: number }
  | { type: "queue"; phase: "joining"; input: UserMessage }
  | { type: "queue"; phase: "joined"; intoRunId: string }
  | { type: "queue"; phase: "dropped"; reason: string };

/** The start, the end or the failure of a compaction. Sizes are estimated tokens. */
export type CompactionEvent =
  | { type: "compaction"; phase: "start"; reason: CompactionReason; tokensBefore: number }
  | { type: "compaction"; phase: "end"; reason: CompactionReason; tokensBefore: number; tokensAfter: number }
  | { type: "compaction"; phase: "error"; reason: CompactionReason; message: string };

/** Why: the next request would not fit, a provider refused one for its size, or a person asked for it. */
export type CompactionReason = "threshold" | "overflow" | "command";

/** A tool call that waits for a person's approval, and the decision. */
export type ApprovalEvent =
  | {
      type: "approval";
      phase: "requested";
      approvalId: string;
      callId: string;
      tool: string;
      args: JsonObject;
      question: string;
      /** What `allow-always` would allow from then on; absent where it allows this once. */
      grant?: GrantScope;
    }
  | { type: "approval"; phase: "decided"; approvalId: string; decision: "allow-once" | "allow-always" | "deny" };

/** Whether this is the last event of its run's stream. */
export function isLast(event: EventBody): boolean {
  if (event.type === "lifecycle") return event.phase !== "start";
  return event.type === "queue" && (event.phase === "joined" || event.phase === "dropped");
}

/** Whether the event is dropped once the message it belongs to is stored. */
export function isEphemeral(body: EventBody): boolean {
  return body.type === "assistant" ? body.phase === "delta" : body.type === "tool" && body.phase === "update";
}
