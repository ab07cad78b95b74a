import type { JsonObject } from "../lib/json.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage, Usage } from "../models/message.ts";
import type { CompactionReason } from "./events.ts";

/**
 * The durable memory of one run. The loop keeps nothing of its own: after a crash it is started again over the same
 * journal and goes on from the last finished step.
 *
 * Every verb is synchronous and has stored what it was told when it returns (before any request leaves the object).
 */
export interface Journal {
  /** What the model sees, oldest first; every tool call in it that is not of the last reply has its result. */
  context(): Message[];
  /** The same, with what is known of it. */
  view(): View;
  /** How often the call that comes next was begun before and did not finish. */
  readonly interruptedAsks: number;
  /** Whether a call was launched before, by this incarnation or an earlier one. */
  wasLaunched(callId: string): boolean;
  /**
   * The reply that is being made is given up and will be asked for anew: stores what people were already sent of it, as
   * a reply that was interrupted. True where that was anything: then the model sees it, and the context has changed.
   */
  restarting(): boolean;
  /** Stores a reply that asks for tools. */
  answered(message: AssistantMessage): void;
  /** Stores that these calls are being launched now. */
  launching(calls: readonly ToolCallPart[]): void;
  /** Stores the result of a call. */
  returned(message: ToolMessage): void;
  /** Whether messages have come that are to join this run. */
  hasPendingInput(): boolean;
  /** Stores the messages that have come, as the next thing that the model sees. */
  takePendingInput(): void;
  /** What a person said of a call of the last reply; undefined where nobody was asked, or has answered yet. */
  verdictOn(callId: string): Verdict | undefined;
  /** The arguments with which a person has allowed a call; undefined where nobody has. */
  allowedArgs(callId: string): JsonObject | undefined;
  /** Stores that the run waits for a person's word on these calls. */
  pausing(questions: readonly ApprovalQuestion[]): void;
  /** Shortens, for the model, the results before the message with this id; all that there are where none is given. */
  pruned(beforeId: string | undefined): void;
  /** Announces that a summary is being made. */
  compacting(reason: CompactionReason, tokensBefore: number): void;
  /** Stores a summary: from now on the model sees it in place of all that comes before the first message that is kept. */
  compacted(summary: NewSummary): void;
  /** Announces that no summary was made, and why; what was spent on it counts. */
  notCompacted(reason: CompactionReason, message: string, usage: Usage): void;
  /** Whether the memory flush has not been done since the last summary. */
  readonly isFlushDue: boolean;
  /** Replies of the memory flush that is going on; undefined where none is. */
  readonly flushReplies: number | undefined;
  /** Stores that a memory flush begins, and what it asks. Until it ends all that is stored belongs to it. */
  flushing(prompt: string): void;
  /** Stores that the flush is over, with its last reply. The model sees nothing of it from now on. */
  flushed(last: AssistantMessage): void;
}

/** What a model sees of a conversation. */
export interface View {
  /** Oldest first. */
  messages: Message[];
  /** How many of the first only stand for what is older: a summary, and what was asked last before the others. */
  pinned: number;
  /** What the summary among them says. */
  summary?: string;
  /** Index of the first message that came when the model saw the ones before it as they are now. */
  countedFrom: number;
  /** Whether it is about as long as a view can be, whatever the model takes: older messages would be left out. */
  isFull: boolean;
}

/** A summary that is to be stored. */
export interface NewSummary {
  reason: CompactionReason;
  text: string;
  /** The first message that stays as it is. */
  keptId: string;
  /** `provider/model` that wrote it. */
  model: string;
  usage: Usage;
  /** Estimated tokens of the whole context. */
  tokensBefore: number;
  tokensAfter: number;
}

export type Verdict = "allow" | "deny";

/** A call that may not run before a person has said so, and what to ask them. */
export interface ApprovalQuestion {
  call: ToolCallPart;
  question: string;
}
