import type { JsonObject } from "../lib/json.ts";
import type { Directives, ToolCallPart, ToolMessage } from "../models/message.ts";
import type { Model, ModelReply, ModelRequest, SystemPrompt } from "../models/model.ts";
import type { ContextRules } from "./context-rules.ts";
import type { CompactionReason, EventBody } from "./events.ts";
import type { Failover } from "./failover.ts";
import type { Journal } from "./journal.ts";
import type { AnyTool, KeptOutput, ToolOutput } from "./tool.ts";

/** What one run of the loop needs. */
export interface LoopDeps {
  /** Who is asked; where there is a failover, the one that the prompt was made for. */
  model: Model;
  /** Who else may answer; absent where nobody may, and nothing is asked again. */
  failover?: Failover | undefined;
  /** The system prompt for a model that took over; that of the request where absent. */
  systemOf?: ((model: Model) => Promise<SystemPrompt>) | undefined;
  request: Omit<ModelRequest, "messages" | "tools">;
  tools: readonly AnyTool[];
  journal: Journal;
  /** Longest silence of a model, in milliseconds; 0 means no limit. */
  modelIdleMs: number;
  /** What may be spent; absent where nothing is capped. */
  budget?: CallBudget | undefined;
  /** How often a model may repeat itself. */
  repetition: RepetitionLimits;
  /** What plugins have to say; absent where none has anything to. */
  hooks?: LoopHooks | undefined;
  /** Tools that a person has allowed for good. */
  allowedTools: readonly string[];
  /** How the conversation is kept within what the model takes. */
  context: ContextRules;
  /** Makes of a tool's output what its result may hold, before it is stored. Never rejects. */
  keep(output: ToolOutput): Promise<KeptOutput>;
  /** Adds to the journal what belongs to what people have said since the last reply. Twice is the same as once. */
  complete?(): Promise<void>;
  emit(event: EventBody): void;
  /** Told before a text is shown what the reply has asked for so far. */
  directed?(directives: Directives): void;
  newMessageId(): string;
  now(): number;
}

/** What others than the model have to say in a loop. It fails only where nothing can be stored any more. */
export interface LoopHooks {
  /** What is to become of a call that would be launched now. */
  beforeCall(call: ToolCallPart): Promise<Vetted>;
  /** What is to be stored of what a call gave, before it is bounded. */
  returned(call: ToolCallPart, output: ReturnedOutput): Promise<ReturnedOutput>;
  /** The result of a call is stored. Nobody waits for what is done then. */
  afterCall(call: ToolCallPart, result: ToolMessage): void;
  /** The older part of the conversation is about to be summarized. */
  beforeCompaction(event: { reason: CompactionReason; tokensBefore: number }): Promise<void>;
  /** It was. Nobody waits for what is done then. */
  afterCompaction(event: { reason: CompactionReason; tokensBefore: number; tokensAfter: number }): void;
}

/** With which arguments a call is launched, or why it is not. */
export type Vetted = { args: JsonObject } | { blocked: string };

export interface ReturnedOutput extends ToolOutput {
  isError: boolean;
}

/** What model calls may still spend. */
export interface CallBudget {
  /**
   * Sets aside what a call is likely to spend, so that calls at the same time do not spend it, too.
   * @returns what the call's reply is to be told to, once it is there: then what it really spent counts instead
   * @throws MustEnd `budget` where a cap leaves no room, or IsopodError `not_configured` where money is capped and the
   * model has no price; the call is not to be made then, nor another in its place
   */
  reserve(model: Model, request: ModelRequest): Promise<(reply: ModelReply) => void>;
}

/** How often the same call may give the same result before the model is told so, and before its run ends. */
export interface RepetitionLimits {
  /** Whether anybody looks. */
  enabled: boolean;
  warnAfter: number;
  stopAfter: number;
}
