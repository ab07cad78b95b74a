import type { JsonObject } from "../lib/json.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage, Usage } from "../models/message.ts";
import type { CompactionReason } from "./events.ts";
import type { GrantScope } from "./tool.ts";

/**
 * The durable state of one run. The loop has none: after a crash it starts again with the same journal and continues
 * after the last finished step.
 *
 * Every method is synchronous and has stored its arguments when it returns, before any request leaves the object.
 */
export interface Journal {
  /** What the model sees, oldest first. Every tool call in it, except those of the last reply, has its result. */
  context(): Message[];
  /** The same with its metadata. */
  view(): View;
  /** How often the next model call was started before without finishing. */
  readonly interruptedAsks: number;
  /** Whether a call was launched before, also by an earlier incarnation of the object. */
  wasLaunched(callId: string): boolean;
  /**
   * Gives up the current reply, which will be requested again, and stores the part that was already sent to people as
   * an interrupted reply. Returns true if there was such a part, which changes the context.
   */
  restarting(): boolean;
  /** Stores a reply that calls tools. */
  answered(message: AssistantMessage): void;
  /** Stores that these calls are launched now. */
  launching(calls: readonly ToolCallPart[]): void;
  /** Stores the result of a call, and counts what it has spent on other models. */
  returned(message: ToolMessage, usage?: Usage): void;
  /** Whether messages have arrived that join this run. */
  hasPendingInput(): boolean;
  /** Stores these messages as the next input of the model. */
  takePendingInput(): void;
  /** A person's decision on a call of the last reply; undefined before there is one. */
  verdictOn(callId: string): Verdict | undefined;
  /** The arguments with which a person allowed a call; undefined if no person allowed it. */
  allowedArgs(callId: string): JsonObject | undefined;
  /** Stores that the run waits for approval of these calls. */
  pausing(questions: readonly ApprovalQuestion[]): void;
  /** Prunes for the model all results and files before the message with this id; all if undefined. */
  pruned(beforeId: string | undefined): void;
  /** Emits that a compaction starts. */
  compacting(reason: CompactionReason, tokensBefore: number): void;
  /** Stores a summary. From now on the model sees it in place of everything before the first kept message. */
  compacted(summary: NewSummary): void;
  /** Emits that a compaction failed, and why; its usage is counted. */
  notCompacted(reason: CompactionReason, message: string, usage: Usage): void;
  /** Whether no memory flush has run since the last summary. */
  readonly isFlushDue: boolean;
  /** The number of replies of the current memory flush; undefined outside of one. */
  readonly flushReplies: number | undefined;
  /** Stores that a memory flush begins, with its prompt. Everything stored until it ends belongs to it. */
  flushing(prompt: string): void;
  /** Stores the last reply of the flush and ends it. The model does not see the flush from now on. */
  flushed(last: AssistantMessage): void;
}

/** What a model sees of a conversation. */
export interface View {
  /** Oldest first. */
  messages: Message[];
  /** How many messages at the start only represent older ones: a summary and the last request before the others. */
  pinned: number;
  /** The text of the summary among them. */
  summary?: string;
  /** The index of the first message since the view before it last changed; token counts before it do not apply. */
  countedFrom: number;
  /** Whether the view has its maximum length: more messages would push out the oldest, whatever the model's window. */
  isFull: boolean;
}

/** A summary to store. */
export interface NewSummary {
  reason: CompactionReason;
  text: string;
  /** The id of the first kept message. */
  keptId: string;
  /** `provider/model` that wrote it. */
  model: string;
  usage: Usage;
  /** Estimated tokens of the whole context. */
  tokensBefore: number;
  tokensAfter: number;
}

export type Verdict = "allow" | "deny";

/** A call that needs approval, and the question for the person. */
export interface ApprovalQuestion {
  call: ToolCallPart;
  question: string;
  /** What "always" would allow; absent if it is not offered. */
  grant?: GrantScope;
}
